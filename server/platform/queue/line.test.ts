import { afterEach, expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { leaseJob } from './lease-store.ts';
import { placesOf } from './line.ts';
import { findLine, MAX_IN_LINE } from './line-store.ts';
import { job, open, stopQueues } from './testing/small-queue.ts';

afterEach(stopQueues);

const NOW = 1_000_000;
const waiting = ['a', 'b', 'c'];
const running = (agoMs: number, progress: number) => ({ started_at: NOW - agoMs, progress });
const waitsOf = (line: Partial<Parameters<typeof placesOf>[0]>) =>
  [...placesOf({ waiting, running: [], tookMs: [], ...line }, NOW).values()].map(
    ({ waitMs }) => waitMs,
  );

test.each([
  ['nothing tells the time', {}, [null, null, null]],
  ['the last ones took 10 s', { tookMs: [5000, 15_000] }, [0, 10_000, 20_000]],
  ['one is at a quarter after 10 s', { running: [running(10_000, 25)] }, [30_000, 70_000, 110_000]],
  [
    'two run at a time, one of which has just started',
    { running: [running(5000, 0), running(0, 0)], tookMs: [20_000] },
    [15_000, 20_000, 35_000],
  ],
  [
    'one takes longer than expected',
    { running: [running(9000, 0)], tookMs: [1000] },
    [0, 1000, 2000],
  ],
  ['one has not said when it started', { running: [{ started_at: null, progress: 9 }] }, [0, 0, 0]],
])('the wait where %s', (_, line, waits) => {
  expect(waitsOf(line)).toEqual(waits);
});

await describeEachEngine('the line of a kind of job', (openDatabase) => {
  test('has what waits in its order, what runs, and how long the last ones took', async () => {
    const database = await openDatabase();
    const { db } = database;
    const { queue } = open(database, {});
    for (let n = 0; n < 5; n += 1) await queue.add(db, job(n));
    await queue.add(db, { ...job(8), kind: 'other' });
    await queue.add(db, { ...job(9), runAt: Date.now() + 99_000 });
    const lease = { kind: 'count', token: 't', now: 5000, expiry: 0, until: 9000 };
    await leaseJob(database, lease);
    await leaseJob(database, { ...lease, token: 'u', now: 6000 });
    const done = { state: 'done', finished_at: 7500, lease_token: null } as const;
    await db.updateTable('jobs').set(done).where('lease_token', '=', 't').execute();
    expect(await findLine(db, 'count')).toEqual({
      waiting: ['s2', 's3', 's4'],
      running: [{ started_at: 6000, progress: 0 }],
      tookMs: [2500],
    });
  });

  test('is read up to a bound', async () => {
    const database = await openDatabase();
    const { queue } = open(database, {});
    for (let n = 0; n <= MAX_IN_LINE; n += 1) await queue.add(database.db, job(n));
    expect((await findLine(database.db, 'count')).waiting).toHaveLength(MAX_IN_LINE);
  });
});
