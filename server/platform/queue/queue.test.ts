import { afterEach, expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/engines.ts';
import { away } from '../../errors.ts';
import type { Database } from '../db/port.ts';
import { openMemoryEvents } from '../events/memory.ts';
import { type Handler, PermanentFailure, Postponed } from './handler.ts';
import { createQueue, type QueueTimes } from './queue.ts';
import { extendLease, finishJob, leaseJob } from './store.ts';

const QUICK: QueueTimes = { poll: 10, heartbeat: 20, lease: 200, backOff: 5, away: 30 };
const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const queue of running.splice(0)) await queue.stop();
});

function open(
  database: Database,
  handler: Partial<Handler<{ n: number }>>,
  more: Partial<Parameters<typeof createQueue>[0]> = {},
) {
  const errors: unknown[] = [];
  const queue = createQueue({
    database,
    clock: Date.now,
    events: openMemoryEvents({ onError: () => {} }),
    onError: (error) => errors.push(error),
    times: QUICK,
    ...more,
  });
  queue.handle('count', { concurrency: 1, run: async () => async () => {}, ...handler });
  running.push(queue);
  return { queue, errors };
}

const job = (n: number) => ({ kind: 'count', subject: `s${n}`, payload: { n } });

const states = async (database: Database) =>
  (
    await database.db.selectFrom('jobs').select(['subject', 'state']).orderBy('subject').execute()
  ).map((row) => `${row.subject} ${row.state}`);

async function until(what: () => Promise<boolean> | boolean) {
  for (let i = 0; i < 500; i += 1) {
    if (await what()) return;
    await Bun.sleep(10);
  }
  throw new Error('waited in vain');
}

await describeEachEngine('the queue', (openDatabase) => {
  test('a process does its own kinds only, and tells the others of theirs', async () => {
    const database = await openDatabase();
    const events = openMemoryEvents({ onError: () => {} });
    const ran: string[] = [];
    const doing = (who: string) => ({
      run: async () => {
        ran.push(who);
        return async () => {};
      },
    });
    // Only word can wake the other: it does not look by itself.
    const times = { ...QUICK, poll: 60_000 };
    const web = open(database, doing('web'), { events, times, does: () => false });
    const media = open(database, doing('media'), { events, times });
    await media.queue.start({ alone: false });
    await web.queue.start({ alone: false });
    await web.queue.add(database.db, job(1));
    web.queue.wake();
    await until(() => ran.length > 0);
    expect(ran).toEqual(['media']);
  });

  test('what is cancelled in one process ends at once in another', async () => {
    const database = await openDatabase();
    const events = openMemoryEvents({ onError: () => {} });
    const times = { ...QUICK, heartbeat: 60_000, lease: 120_000 };
    let ended: unknown;
    const slow = open(
      database,
      {
        run: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              ended = signal.reason;
              reject(signal.reason);
            });
          }),
      },
      { events, times },
    );
    const other = open(database, {}, { events, does: () => false });
    await slow.queue.add(database.db, job(1));
    await slow.queue.start({ alone: true });
    await until(async () => (await states(database))[0] === 's1 running');
    await other.queue.cancel(database.db, 's1');
    other.queue.abort(['s0', 's1']);
    await until(() => ended !== undefined);
    expect(await states(database)).toEqual(['s1 cancelled']);
    expect(slow.errors).toEqual([]);
  });

  test('of a subject that is cancelled all that runs ends at once, and nothing of another', async () => {
    const database = await openDatabase();
    const times = { ...QUICK, heartbeat: 60_000, lease: 120_000 };
    const ended: string[] = [];
    const stuck = (name: string): Handler<{ n: number }> => ({
      concurrency: 2,
      run: ({ signal, subject }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            ended.push(`${name} ${subject}`);
            reject(signal.reason);
          });
        }),
    });
    const { queue } = open(database, stuck('count'), { times });
    queue.handle('weigh', stuck('weigh'));
    await queue.add(database.db, job(1));
    await queue.add(database.db, { ...job(1), kind: 'weigh' });
    await queue.add(database.db, { ...job(2), kind: 'weigh' });
    await queue.start({ alone: true });
    await until(async () => (await states(database)).every((state) => state.endsWith('running')));
    await queue.cancel(database.db, 's1');
    queue.abort(['s1']);
    await Bun.sleep(50);
    expect(ended.sort()).toEqual(['count s1', 'weigh s1']);
    expect(await states(database)).toEqual(['s1 cancelled', 's1 cancelled', 's2 running']);
  });

  test('waiting for what is away counts as no attempt, however long it takes', async () => {
    const database = await openDatabase();
    const numbers: number[] = [];
    const { queue } = open(database, {
      run: async ({ number }) => {
        numbers.push(number);
        if (numbers.length < 9) throw away(new Error('ECONNREFUSED'), 'It is away.', 1000);
        return async () => {};
      },
    });
    await queue.add(database.db, job(1));
    await queue.start({ alone: true });
    await until(async () => (await states(database))[0] === 's1 done');
    expect(numbers).toEqual(Array.from({ length: 9 }, () => 1));
  });

  test('what is done is written when the database is back, and not done again', async () => {
    const database = await openDatabase();
    let isBack = false;
    const broken = {
      ...database,
      transaction: ((work) =>
        isBack
          ? database.transaction(work)
          : Promise.reject(
              away(new Error('gone'), 'It is away.', 1000),
            )) as typeof database.transaction,
    };
    let runs = 0;
    const { queue, errors } = open(broken, {
      run: async () => {
        runs += 1;
        return async () => {};
      },
    });
    await queue.add(database.db, job(1));
    await queue.start({ alone: true });
    await until(() => runs === 1);
    await Bun.sleep(100);
    expect(await states(database)).toEqual(['s1 running']);
    isBack = true;
    await until(async () => (await states(database))[0] === 's1 done');
    expect(runs).toBe(1);
    expect(errors).toEqual([]);
  });

  test('a lease that ran out while nobody could renew it is left to its holder for a while', async () => {
    const database = await openDatabase();
    await open(database, {}).queue.add(database.db, job(1));
    const now = Date.now();
    const lease = { kind: 'count', token: 'holder', now, until: now };
    expect(await leaseJob(database, lease)).not.toBeNull();
    let ran = 0;
    const began = performance.now();
    const { queue } = open(
      database,
      {
        run: async () => {
          ran += 1;
          return async () => {};
        },
      },
      { times: { ...QUICK, heartbeat: 100 } },
    );
    await queue.start({ alone: false });
    await until(() => ran === 1);
    expect(performance.now() - began).toBeGreaterThan(190);
  });

  test('does every job once, in order, with what it was given', async () => {
    const database = await openDatabase();
    const done: number[] = [];
    const { queue, errors } = open(database, {
      run: async ({ payload }) => {
        done.push(payload.n);
        return async () => {};
      },
    });
    for (const n of [1, 2, 3]) await queue.add(database.db, job(n));
    await queue.start({ alone: true });
    await until(async () => (await states(database)).every((state) => state.endsWith('done')));
    expect(done).toEqual([1, 2, 3]);
    expect(errors).toEqual([]);
  });

  test('lets owners take turns, however many jobs one of them added', async () => {
    const database = await openDatabase();
    const done: number[] = [];
    const { queue } = open(database, {
      run: async ({ payload }) => {
        done.push(payload.n);
        // In the middle of the first one's jobs somebody else comes, and somebody with two.
        if (payload.n === 2) {
          await queue.add(database.db, { ...job(20), owner: 'b' });
          await queue.add(database.db, { ...job(30), owner: 'c' });
          await queue.add(database.db, { ...job(31), owner: 'c' });
        }
        return async () => {};
      },
    });
    for (let n = 1; n <= 6; n += 1) await queue.add(database.db, { ...job(n), owner: 'a' });
    await queue.start({ alone: true });
    await until(async () => done.length === 9);
    expect(done).toEqual([1, 2, 20, 30, 3, 31, 4, 5, 6]);
  });

  test('does not exist when the transaction that added it rolls back', async () => {
    const database = await openDatabase();
    const { queue } = open(database, {});
    const adding = database.transaction(async (tx) => {
      await queue.add(tx, job(1));
      throw new Error('no');
    });
    await expect(adding).rejects.toThrow('no');
    expect(await states(database)).toEqual([]);
  });

  test('tries again what failed for now, and gives up on what is permanent', async () => {
    const database = await openDatabase();
    const attempts: number[] = [];
    const gaveUp: string[] = [];
    const { queue } = open(database, {
      run: async ({ payload, number }) => {
        if (payload.n === 2) throw new PermanentFailure('It is broken.');
        attempts.push(number);
        if (number < 3) throw new Error('not yet');
        return async () => {};
      },
      giveUp: async (_tx, { subject }, reason) => void gaveUp.push(`${subject}: ${reason}`),
    });
    await queue.add(database.db, job(1));
    await queue.add(database.db, job(2));
    await queue.start({ alone: true });
    await until(async () => (await states(database)).join() === 's1 done,s2 failed');
    expect(attempts).toEqual([1, 2, 3]);
    expect(gaveUp).toEqual(['s2: It is broken.']);
  });

  test('puts off what needs something that is away, however often, and then does it as if new', async () => {
    const database = await openDatabase();
    let tries = 0;
    const numbers: number[] = [];
    const { queue, errors } = open(database, {
      async run({ number }) {
        numbers.push(number);
        tries += 1;
        if (tries < 9) throw new Postponed(1, new Error('away'));
        return async () => {};
      },
    });
    await queue.add(database.db, job(1));
    await queue.start({ alone: true });
    await until(async () => (await states(database)).includes('s1 done'));
    expect(numbers).toEqual(Array(9).fill(1));
    expect(errors).toHaveLength(8);
  });

  test('stops after five attempts', async () => {
    const database = await openDatabase();
    let attempts = 0;
    const { queue } = open(database, {
      run: async () => {
        attempts += 1;
        throw new Error('never');
      },
    });
    await queue.add(database.db, job(1));
    await queue.start({ alone: true });
    await until(async () => (await states(database)).join() === 's1 failed');
    expect(attempts).toBe(5);
  });

  test('writes the result and the end of the job together or not at all', async () => {
    const database = await openDatabase();
    let first = true;
    const { queue } = open(database, {
      run: async () => async (tx) => {
        await tx.insertInto('doomed').values({ prefix: 'x/', not_before: 1 }).execute();
        if (first) {
          first = false;
          throw new Error('in the middle of writing');
        }
      },
    });
    await queue.add(database.db, job(1));
    await queue.start({ alone: true });
    await until(async () => (await states(database)).join() === 's1 done');
    expect(await database.db.selectFrom('doomed').selectAll().execute()).toHaveLength(1);
  });

  test('never gives one job to two workers', async () => {
    const database = await openDatabase();
    const { queue } = open(database, {});
    for (let n = 0; n < 20; n += 1) await queue.add(database.db, job(n));
    const leased = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        leaseJob(database, {
          kind: 'count',
          token: `t${n}`,
          now: Date.now(),
          until: Date.now() + 9999,
        }),
      ),
    );
    const ids = leased.flatMap((row) => (row ? [row.id] : []));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(0);
  });

  test('keeps a worker that wakes late from finishing or renewing what another one took over', async () => {
    const database = await openDatabase();
    const { queue } = open(database, {});
    await queue.add(database.db, job(1));
    const now = Date.now();
    const late = await leaseJob(database, { kind: 'count', token: 'late', now, until: now + 10 });
    const heir = await leaseJob(database, {
      kind: 'count',
      token: 'heir',
      now: now + 11,
      until: now + 99,
    });
    expect(heir?.id).toBe(late?.id ?? '');
    const id = heir?.id ?? '';
    expect(await extendLease(database.db, { id, token: 'late' }, now + 999, 5)).toBe(false);
    expect(await database.transaction((tx) => finishJob(tx, { id, token: 'late' }, now))).toBe(
      false,
    );
    expect(await database.transaction((tx) => finishJob(tx, { id, token: 'heir' }, now))).toBe(
      true,
    );
  });

  test('keeps the lease of long work by its heartbeat', async () => {
    const database = await openDatabase();
    let starts = 0;
    const { queue } = open(database, {
      run: async () => {
        starts += 1;
        await Bun.sleep(600);
        return async () => {};
      },
    });
    const rival = open(database, {
      run: async () => {
        starts += 1;
        return async () => {};
      },
    });
    await queue.add(database.db, job(1));
    await queue.start({ alone: true });
    await until(() => starts === 1);
    await rival.queue.start({ alone: false });
    await until(async () => (await states(database)).join() === 's1 done');
    expect(starts).toBe(1);
  });

  test('aborts running work that is cancelled, and writes nothing for it', async () => {
    const database = await openDatabase();
    let aborted = false;
    const { queue } = open(database, {
      run: async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        aborted = true;
        return async (tx) => void (await tx.deleteFrom('jobs').execute());
      },
    });
    await queue.add(database.db, job(1));
    await queue.start({ alone: true });
    await until(async () => (await states(database)).join() === 's1 running');
    await queue.cancel(database.db, 's1');
    await until(() => aborted);
    await queue.stop();
    expect(await states(database)).toEqual(['s1 cancelled']);
  });

  test('gives running work back when it stops, without counting the attempt', async () => {
    const database = await openDatabase();
    const { queue } = open(database, {
      run: async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw signal.reason;
      },
    });
    await queue.add(database.db, job(1));
    await queue.start({ alone: true });
    await until(async () => (await states(database)).join() === 's1 running');
    await queue.stop();
    const row = await database.db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    expect([row.state, row.attempts, row.lease_token]).toEqual(['queued', 0, null]);
  });

  test('takes over at once what a dead predecessor was doing, when it is alone', async () => {
    const database = await openDatabase();
    const { queue } = open(database, {});
    await queue.add(database.db, job(1));
    const now = Date.now();
    await leaseJob(database, { kind: 'count', token: 'dead', now, until: now + 3_600_000 });
    await queue.start({ alone: true });
    await until(async () => (await states(database)).join() === 's1 done');
  });
});
