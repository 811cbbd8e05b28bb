import { afterEach, expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import type { Handler } from './handler.ts';
import { job, open, QUICK, states, stopQueues, until } from './testing/small-queue.ts';

afterEach(stopQueues);

await describeEachEngine('the queue', (openDatabase) => {
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
    await queue.start({ isOnlyProcess: true });
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
        // While the first owner's jobs run, another owner adds one job and a third adds two.
        if (payload.n === 2) {
          await queue.add(database.db, { ...job(20), owner: 'b' });
          await queue.add(database.db, { ...job(30), owner: 'c' });
          await queue.add(database.db, { ...job(31), owner: 'c' });
        }
        return async () => {};
      },
    });
    for (let n = 1; n <= 6; n += 1) await queue.add(database.db, { ...job(n), owner: 'a' });
    await queue.start({ isOnlyProcess: true });
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

  test('writes the result and the end of the job together or not at all', async () => {
    const database = await openDatabase();
    let first = true;
    const { queue } = open(database, {
      run: async () => async (tx) => {
        await tx.insertInto('pending_deletes').values({ prefix: 'x/', not_before: 1 }).execute();
        if (first) {
          first = false;
          throw new Error('in the middle of writing');
        }
      },
    });
    await queue.add(database.db, job(1));
    await queue.start({ isOnlyProcess: true });
    await until(async () => (await states(database)).join() === 's1 done');
    expect(await database.db.selectFrom('pending_deletes').selectAll().execute()).toHaveLength(1);
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
    await queue.start({ isOnlyProcess: true });
    await until(async () => (await states(database)).join() === 's1 running');
    await queue.cancel(database.db, ['s1']);
    await until(() => aborted);
    await queue.stop();
    expect(await states(database)).toEqual(['s1 cancelled']);
  });

  test('of a subject that is cancelled all that runs ends at once, and nothing of another', async () => {
    const database = await openDatabase();
    const times = { ...QUICK, heartbeatIntervalMs: 60_000, leaseMs: 120_000 };
    const finished: string[] = [];
    const stuck = (name: string): Handler<{ n: number }> => ({
      concurrency: 2,
      run: ({ signal, subject }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            finished.push(`${name} ${subject}`);
            reject(signal.reason);
          });
        }),
    });
    const { queue } = open(database, stuck('count'), { times });
    queue.handle('weigh', stuck('weigh'));
    await queue.add(database.db, job(1));
    await queue.add(database.db, { ...job(1), kind: 'weigh' });
    await queue.add(database.db, { ...job(2), kind: 'weigh' });
    await queue.start({ isOnlyProcess: true });
    await until(async () => (await states(database)).every((state) => state.endsWith('running')));
    await queue.cancel(database.db, ['s1']);
    queue.abort(['s1']);
    await until(() => finished.length === 2);
    expect(finished.sort()).toEqual(['count s1', 'weigh s1']);
    expect(await states(database)).toEqual(['s1 cancelled', 's1 cancelled', 's2 running']);
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
    await queue.start({ isOnlyProcess: true });
    await until(async () => (await states(database)).join() === 's1 running');
    await queue.stop();
    const row = await database.db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    expect([row.state, row.attempts, row.lease_token]).toEqual(['queued', 0, null]);
  });

  test('wakes the kinds that got work, and no other', async () => {
    const database = await openDatabase();
    const times = { ...QUICK, pollIntervalMs: 60_000 };
    const ran: string[] = [];
    const run = async ({ subject }: { subject: string }) => {
      ran.push(subject);
      return async () => {};
    };
    const { queue } = open(database, { run }, { times });
    queue.handle('weigh', { concurrency: 1, run });
    await queue.add(database.db, job(1));
    await queue.start({ isOnlyProcess: true });
    // The look at the start is over when it has found this job.
    await until(() => ran.length > 0);
    await queue.add(database.db, { ...job(2), kind: 'weigh' });
    await queue.add(database.db, job(3));
    queue.wake('count');
    await until(() => ran.length > 1);
    expect(ran).toEqual(['s1', 's3']);
    queue.wake('weigh');
    await until(() => ran.length > 2);
  });

  test('runs a job at its time, and not before', async () => {
    const database = await openDatabase();
    let now = Date.now();
    const ran: string[] = [];
    const { queue } = open(
      database,
      {
        run: async ({ subject }) => {
          ran.push(subject);
          return async () => {};
        },
      },
      { clock: () => now },
    );
    await queue.add(database.db, { ...job(1), runAt: now + 1_000 });
    await queue.add(database.db, job(2));
    await queue.start({ isOnlyProcess: true });
    await until(() => ran.length > 0);
    now += 999;
    await queue.add(database.db, job(3));
    await until(() => ran.length > 1);
    now += 1;
    await until(() => ran.length > 2);
    expect(ran).toEqual(['s2', 's3', 's1']);
  });

  test('keeps the rows of ended jobs where somebody looks at them', async () => {
    const database = await openDatabase();
    const { queue } = open(database, {});
    queue.handle('weigh', { concurrency: 1, run: async () => async () => {} });
    await queue.add(database.db, { ...job(1), kind: 'weigh' });
    await queue.add(database.db, job(2));
    await queue.start({ isOnlyProcess: true });
    await until(async () => (await states(database)).join() === 's2 done');
  });

  test('forgets what has ended, also more than fits one statement', async () => {
    const database = await openDatabase();
    const { queue } = open(database, {});
    await database.transaction(async (tx) => {
      for (let n = 1_000; n < 2_200; n += 1) await queue.add(tx, job(n));
    });
    const set = { state: 'done', finished_at: 5 } as const;
    await database.db.updateTable('jobs').set(set).where('subject', '<', 's2199').execute();
    const { signal } = new AbortController();
    await queue.forget(5, signal);
    expect(await states(database)).toHaveLength(1_200);
    await queue.forget(6, signal);
    expect(await states(database)).toEqual(['s2199 queued']);
  });
});
