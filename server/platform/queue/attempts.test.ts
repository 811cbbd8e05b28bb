import { afterEach, expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { Failure } from '../../contract/failure.ts';
import { upstreamUnavailable } from '../../errors.ts';
import { PostponedError } from './handler.ts';
import { job, open, states, stopQueues, until } from './testing/small-queue.ts';

afterEach(stopQueues);

await describeEachEngine('a job that fails', (openDatabase) => {
  test('waiting for what is away counts as no attempt, however long it takes', async () => {
    const database = await openDatabase();
    const numbers: number[] = [];
    const { queue } = open(database, {
      run: async ({ number }) => {
        numbers.push(number);
        if (numbers.length < 9)
          throw upstreamUnavailable(new Error('ECONNREFUSED'), 'It is away.', 1000);
        return async () => {};
      },
    });
    await queue.add(database.db, job(1));
    await queue.start({ isOnlyProcess: true });
    await until(async () => (await states(database))[0] === 's1 done');
    expect(numbers).toEqual(Array.from({ length: 9 }, () => 1));
  });

  test('what is done is written when the database is back, and not done again', async () => {
    const database = await openDatabase();
    let isBack = false;
    const failingDatabase = {
      ...database,
      transaction: ((work) =>
        isBack
          ? database.transaction(work)
          : Promise.reject(
              upstreamUnavailable(new Error('gone'), 'It is away.', 1000),
            )) as typeof database.transaction,
    };
    let runs = 0;
    const { queue, errors } = open(failingDatabase, {
      run: async () => {
        runs += 1;
        return async () => {};
      },
    });
    await queue.add(database.db, job(1));
    await queue.start({ isOnlyProcess: true });
    await until(() => runs === 1);
    await Bun.sleep(100);
    expect(await states(database)).toEqual(['s1 running']);
    isBack = true;
    await until(async () => (await states(database))[0] === 's1 done');
    expect(runs).toBe(1);
    expect(errors).toEqual([]);
  });

  test('a job whose turn is over gives way to those of other owners, and goes on afterwards', async () => {
    const database = await openDatabase();
    const runs: string[] = [];
    const { queue, errors } = open(database, {
      turnMs: 20,
      run: async ({ subject, number, signal }) => {
        runs.push(`${subject} ${number}`);
        const isLong = subject === 's1' && runs.length < 3;
        if (isLong) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        signal.throwIfAborted();
        return async () => {};
      },
    });
    await queue.add(database.db, { ...job(1), owner: 'large' });
    await queue.add(database.db, { ...job(2), owner: 'large' });
    await queue.add(database.db, { ...job(3), owner: 'small' });
    await database.db
      .updateTable('jobs')
      .set({ attempts: 9 })
      .where('subject', '=', 's1')
      .execute();
    await queue.start({ isOnlyProcess: true });
    await until(async () => (await states(database)).every((state) => state.endsWith('done')));
    // Earlier attempts, which were interrupted, count neither now nor once it has got further.
    expect(runs).toEqual(['s1 10', 's3 1', 's2 1', 's1 1']);
    expect(errors).toEqual([]);
  });

  test('tries again what failed for now, and gives up on what is permanent', async () => {
    const database = await openDatabase();
    const attempts: number[] = [];
    const gaveUp: string[] = [];
    const { queue } = open(database, {
      run: async ({ payload, number }) => {
        if (payload.n === 2) throw new Failure('It is broken.', { retry: 'never' });
        attempts.push(number);
        if (number < 3) throw new Error('not yet');
        return async () => {};
      },
      giveUp: async (_tx, { subject }, { reason }) => void gaveUp.push(`${subject}: ${reason}`),
    });
    await queue.add(database.db, job(1));
    await queue.add(database.db, job(2));
    await queue.start({ isOnlyProcess: true });
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
        if (tries < 9) throw new PostponedError(1, new Error('away'));
        return async () => {};
      },
    });
    await queue.add(database.db, job(1));
    await queue.start({ isOnlyProcess: true });
    await until(async () => (await states(database)).includes('s1 done'));
    expect(numbers).toEqual(Array(9).fill(1));
    expect(errors).toHaveLength(8);
  });

  test('that takes too long becomes one of the background, without losing an attempt', async () => {
    const database = await openDatabase();
    const runs: string[] = [];
    const { promise: blocked, resolve: release } = Promise.withResolvers<void>();
    const { queue, errors } = open(database, {
      background: 'slow',
      run: async ({ subject, report, transaction }) => {
        runs.push(`count ${subject}`);
        if (subject === 's3') return async () => {};
        report(40);
        await transaction(async () => {});
        throw new Failure('It is long.', { retry: 'background' });
      },
    });
    queue.handle('slow', {
      isKept: true,
      concurrency: 1,
      run: async ({ subject, payload, number }) => {
        runs.push(`slow ${subject} ${JSON.stringify(payload)} ${number}`);
        await blocked;
        return async () => {};
      },
    });
    await queue.add(database.db, { ...job(1), owner: 'a' });
    await queue.add(database.db, { ...job(2), owner: 'a' });
    await queue.start({ isOnlyProcess: true });
    await until(() => runs.some((run) => run.startsWith('slow')));
    expect(await queue.progressOf(['s1'])).toEqual(new Map([['s1', 0]]));
    await queue.add(database.db, { ...job(3), owner: 'b' });
    await until(async () => (await states(database)).includes('s3 done'));
    expect(runs.filter((run) => run.startsWith('slow'))).toEqual(['slow s1 {"n":1} 1']);
    release();
    await until(async () => (await states(database)).join() === 's1 done,s2 done,s3 done');
    expect(runs.at(-1)).toBe('slow s2 {"n":2} 1');
    expect(errors).toEqual([]);
  });

  test('that takes too long waits in the background for one of each other owner at most', async () => {
    const database = await openDatabase();
    const runs: string[] = [];
    const { promise: blocked, resolve: release } = Promise.withResolvers<void>();
    const { queue } = open(database, {
      background: 'slow',
      run: async () => {
        throw new Failure('It is long.', { retry: 'background' });
      },
    });
    queue.handle('slow', {
      isKept: true,
      concurrency: 1,
      run: async ({ subject }) => {
        runs.push(subject);
        await blocked;
        return async () => {};
      },
    });
    const inBackground = database.db.selectFrom('jobs').select('id').where('kind', '=', 'slow');
    const areMoved = async (count: number) => (await inBackground.execute()).length === count;
    for (const n of [1, 2, 3]) await queue.add(database.db, { ...job(n), owner: 'a' });
    await queue.start({ isOnlyProcess: true });
    await until(() => areMoved(3));
    await until(() => runs.length === 1);
    await queue.add(database.db, { ...job(4), owner: 'b' });
    queue.poll();
    await until(() => areMoved(4));
    release();
    await until(async () => (await states(database)).every((state) => state.endsWith('done')));
    expect(runs).toEqual(['s1', 's4', 's2', 's3']);
  });

  test('that is given up for a reason which may pass can be retried, and no other', async () => {
    const database = await openDatabase();
    const runs: string[] = [];
    const ends: unknown[] = [];
    let isBroken = true;
    const { queue } = open(database, {
      run: async ({ subject, number }) => {
        runs.push(`${subject} ${number}`);
        if (subject === 's1') throw new Failure('It is broken.', { retry: 'never' });
        if (isBroken) throw new Error('a bug');
        return async () => {};
      },
      giveUp: async (_tx, { subject }, why) => void ends.push({ subject, ...why }),
      undoGiveUp: async (_tx, { payload }) => payload.n === 2,
    });
    for (const n of [1, 2, 3]) await queue.add(database.db, job(n));
    await queue.start({ isOnlyProcess: true });
    const failed = 's1 failed,s2 failed,s3 failed';
    await until(async () => (await states(database)).join() === failed);
    const several = { reason: 'Processing failed several times.', isPermanent: false };
    expect(ends).toEqual([
      { subject: 's1', reason: 'It is broken.', isPermanent: true },
      { subject: 's2', ...several },
      { subject: 's3', ...several },
    ]);
    isBroken = false;
    const retry = (subject: string) => database.transaction((tx) => queue.retryAbout(tx, subject));
    expect(await Promise.all(['s1', 's2', 's3'].map(retry))).toEqual([null, 'count', null]);
    queue.wake('count');
    await until(async () => (await states(database)).join() === 's1 failed,s2 done,s3 failed');
    expect(runs.at(-1)).toBe('s2 1');
    expect(await retry('s2')).toBeNull();
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
    await queue.start({ isOnlyProcess: true });
    await until(async () => (await states(database)).join() === 's1 failed');
    expect(attempts).toBe(5);
  });
});
