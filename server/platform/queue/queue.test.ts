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
    await queue.cancel(database.db, 's1');
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
    await queue.cancel(database.db, 's1');
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
});
