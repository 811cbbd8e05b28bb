import { afterEach, expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { listJobs, openCounts } from './counts-store.ts';
import { job, open, stopQueues } from './testing/small-queue.ts';

afterEach(stopQueues);

await describeEachEngine('the jobs of the admin page', (openDatabase) => {
  test('are counted by state and kind, and the newest listed', async () => {
    const database = await openDatabase();
    const { db } = database;
    const { queue } = open(database, {});
    const add = async (n: number, kind: string, state?: 'running' | 'failed' | 'done') => {
      await queue.add(db, { ...job(n), kind });
      if (!state) return;
      await db.updateTable('jobs').set({ state }).where('subject', '=', `s${n}`).execute();
    };
    for (const n of [1, 2, 3]) await add(n, n % 2 ? 'mail' : 'image', 'failed');
    for (const n of [4, 5]) await add(n, 'mail', 'running');
    for (const n of [6, 7]) await add(n, 'image');
    await queue.add(db, { ...job(8), kind: 'image', runAt: Date.now() + 99_000 });
    await add(9, 'video', 'done');

    const counts = async (limit?: number) =>
      (await openCounts(db, limit)).map(({ state, kind, count }) => `${state} ${kind} ${count}`);
    expect((await counts()).sort()).toEqual([
      'failed image 1',
      'failed mail 2',
      'queued image 3',
      'running mail 2',
    ]);
    expect((await counts(2)).sort()).toContain('queued image 2');
    const subjects = async (state: 'running' | 'failed', limit: number) =>
      (await listJobs(db, state, limit)).map(({ subject }) => subject);
    expect(await subjects('failed', 9)).toEqual(['s3', 's2', 's1']);
    expect(await subjects('failed', 2)).toEqual(['s3', 's2']);
    expect(await subjects('running', 9)).toEqual(['s5', 's4']);
  });
});
