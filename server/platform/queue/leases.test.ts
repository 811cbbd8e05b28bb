import { afterEach, expect, test } from 'bun:test';
import { describeEachEngine, describeOnPostgres } from '../../../tests/support/server/engines.ts';
import { Failure } from '../../contract/failure.ts';
import { HOUR, MINUTE } from '../../contract/limits.ts';
import type { Statement } from '../db/batch.ts';
import { openMemoryEvents } from '../events/memory.ts';
import { scheduleDelete } from '../storage/pending-deletes-store.ts';
import { LeaseLostError } from './handler.ts';
import { completion, extension, leaseJob, releaseAllJobs } from './lease-store.ts';
import { job, open, QUICK, states, stopQueues, until } from './testing/small-queue.ts';

afterEach(stopQueues);

await describeEachEngine('queues of several processes', (openDatabase) => {
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
    // With this poll interval only a notification can wake the other queue.
    const times = { ...QUICK, pollIntervalMs: 60_000 };
    const web = open(database, doing('web'), { events, times, does: () => false });
    const media = open(database, doing('media'), { events, times });
    await media.queue.start({ isOnlyProcess: false });
    await web.queue.start({ isOnlyProcess: false });
    await web.queue.add(database.db, job(1));
    web.queue.wake('count');
    await until(() => ran.length > 0);
    expect(ran).toEqual(['media']);
  });

  test('word of a job that comes while a process looks makes it look again', async () => {
    const database = await openDatabase();
    const looked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const slow = database.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        looked.resolve();
        await release.promise;
        return result;
      },
    });
    let ran = 0;
    const { queue } = open(
      { ...database, db: slow },
      {
        run: async () => {
          ran += 1;
          return async () => {};
        },
      },
      { times: { ...QUICK, pollIntervalMs: 60_000 } },
    );
    await queue.start({ isOnlyProcess: false });
    await looked.promise;
    await queue.add(database.db, job(1));
    queue.wake('count');
    release.resolve();
    await until(() => ran > 0);
  });

  test('what is cancelled in one process ends at once in another', async () => {
    const database = await openDatabase();
    const events = openMemoryEvents({ onError: () => {} });
    const times = { ...QUICK, heartbeatIntervalMs: 60_000, leaseMs: 120_000 };
    let outcome: unknown;
    const slow = open(
      database,
      {
        run: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              outcome = signal.reason;
              reject(signal.reason);
            });
          }),
      },
      { events, times },
    );
    const other = open(database, {}, { events, does: () => false });
    await slow.queue.add(database.db, job(1));
    await slow.queue.start({ isOnlyProcess: true });
    await until(async () => (await states(database))[0] === 's1 running');
    await other.queue.cancel(database.db, ['s1']);
    other.queue.abort(['s0', 's1']);
    await until(() => outcome !== undefined);
    expect(await states(database)).toEqual(['s1 cancelled']);
    expect(slow.errors).toEqual([]);
  });

  test('a lease that ran out while nobody could renew it is left to its holder for a while', async () => {
    const database = await openDatabase();
    await open(database, {}).queue.add(database.db, job(1));
    const now = Date.now();
    const lease = { kind: 'count', token: 'holder', now: Date.now(), expiry: now, until: now };
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
      { times: { ...QUICK, heartbeatIntervalMs: 100 } },
    );
    await queue.start({ isOnlyProcess: false });
    await until(() => ran === 1);
    expect(performance.now() - began).toBeGreaterThan(190);
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
          expiry: Date.now(),
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
    const leased = await leaseJob(database, {
      kind: 'count',
      token: 'late',
      now: Date.now(),
      expiry: now,
      until: now + 10,
    });
    const heir = await leaseJob(database, {
      kind: 'count',
      token: 'heir',
      now: Date.now(),
      expiry: now + 11,
      until: now + 99,
    });
    expect(heir?.id).toBe(leased?.id ?? '');
    const id = heir?.id ?? '';
    const { db } = database;
    const isDone = (statement: Statement) =>
      database.batch([statement]).then(
        () => true,
        () => false,
      );
    const late = { id, token: 'late' };
    const end = { now, isKept: true };
    const lost = () => new LeaseLostError();
    expect(await isDone(extension(db, late, { until: now + 999, progress: 5 }, lost))).toBe(false);
    expect(await isDone(completion(db, late, end, lost))).toBe(false);
    expect(await isDone(completion(db, { id, token: 'heir' }, end, lost))).toBe(true);
  });

  test('keeps the lease of long work by its heartbeat', async () => {
    const database = await openDatabase();
    let starts = 0;
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const work = {
      run: async () => {
        starts += 1;
        await finished;
        return async () => {};
      },
    };
    let now = Date.now();
    const more = { clock: () => now, times: { ...QUICK, leaseMs: HOUR } };
    const { queue } = open(database, work, more);
    await queue.add(database.db, job(1));
    await queue.start({ isOnlyProcess: true });
    await until(() => starts === 1);
    const leasedUntil = async () =>
      (await database.db.selectFrom('jobs').select('lease_until').executeTakeFirst())?.lease_until;
    for (let renewal = 0; renewal < 2; renewal += 1) {
      now += 40 * MINUTE;
      await until(async () => (await leasedUntil()) === now + HOUR);
    }
    const rival = open(database, work, more);
    await rival.queue.start({ isOnlyProcess: false });
    await queue.add(database.db, job(2));
    await until(() => starts === 2);
    finish();
    await until(async () => (await states(database)).join() === 's1 done,s2 done');
    expect(starts).toBe(2);
  });

  test('the end of a process is no attempt of the jobs that it ran, whoever takes them over', async () => {
    const database = await openDatabase();
    const runs: string[] = [];
    const { queue } = open(database, {
      run: async ({ subject, number }) => {
        runs.push(`${subject} ${number}`);
        return async () => {};
      },
    });
    for (const n of [1, 2]) await queue.add(database.db, job(n));
    const now = Date.now();
    const dead = { kind: 'count', now: Date.now(), expiry: now, until: now + HOUR };
    await leaseJob(database, { ...dead, token: 'first' });
    const heir = {
      kind: 'count',
      token: 'heir',
      now: Date.now(),
      expiry: now + 2 * HOUR,
      until: now + 3 * HOUR,
    };
    expect(await leaseJob(database, heir)).toMatchObject({ attempts: 1, interruptions: 1 });
    await leaseJob(database, { ...dead, token: 'second' });
    await database.db
      .updateTable('jobs')
      .set({ interruptions: 0 })
      .where('subject', '=', 's1')
      .execute();
    await queue.start({ isOnlyProcess: true });
    await until(async () => (await states(database)).join() === 's1 done,s2 done');
    expect(runs.sort()).toEqual(['s1 1', 's2 1']);
  });

  test('a job that ends its process again and again waits longer, and is given up in the end', async () => {
    const database = await openDatabase();
    let runs = 0;
    const ends: unknown[] = [];
    const now = Date.now();
    const { queue } = open(
      database,
      {
        run: async () => {
          runs += 1;
          return async () => {};
        },
        giveUp: async (_tx, _job, why) => void ends.push(why),
      },
      { clock: () => now },
    );
    await queue.add(database.db, job(1));
    const delays: number[] = [];
    for (let crash = 0; crash < 10; crash += 1) {
      await database.db.updateTable('jobs').set({ ready: 1 }).execute();
      expect(
        await leaseJob(database, {
          kind: 'count',
          token: 't',
          now: Date.now(),
          expiry: now,
          until: now + HOUR,
        }),
      ).toMatchObject({ attempts: 1, interruptions: crash });
      await releaseAllJobs(database.db, now);
      const { run_at } = await database.db
        .selectFrom('jobs')
        .select('run_at')
        .executeTakeFirstOrThrow();
      delays.push(run_at - now);
    }
    expect(delays).toEqual([0, 1, 4, 9, 16, 25, 36, 49, 64, 81].map((n) => (n * MINUTE) / 4));
    await database.db.updateTable('jobs').set({ ready: 1 }).execute();
    await queue.start({ isOnlyProcess: false });
    await until(async () => (await states(database)).join() === 's1 failed');
    expect(runs).toBe(0);
    expect(ends).toEqual([
      { reason: 'Processing was interrupted too many times.', isPermanent: false },
    ]);
  });

  test('a jump of the clock takes no job away from who is doing it', async () => {
    const database = await openDatabase();
    const order: string[] = [];
    let now = Date.now();
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const { queue } = open(
      database,
      {
        concurrency: 2,
        run: async ({ subject }) => {
          order.push(subject);
          await finished;
          return async () => {};
        },
      },
      { clock: () => now, times: { ...QUICK, heartbeatIntervalMs: MINUTE } },
    );
    await queue.add(database.db, job(1));
    await queue.start({ isOnlyProcess: true });
    await until(() => order.length === 1);
    await queue.add(database.db, job(2));
    now += 30 * HOUR;
    await until(() => order.length === 2);
    expect(order).toEqual(['s1', 's2']);
    finish();
    await until(async () => (await states(database)).join() === 's1 done,s2 done');
  });

  test('a process that has lost its lease can write nothing more about the job', async () => {
    const database = await openDatabase();
    const outcomes: unknown[] = [];
    const { queue } = open(database, {
      run: async ({ transaction }) => {
        const write = (prefix: string) =>
          transaction((tx) => scheduleDelete(tx, prefix, 1)).then(
            () => outcomes.push('written'),
            (error) => outcomes.push(error.name),
          );
        await write('f/before/');
        await database.db.updateTable('jobs').set({ lease_token: 'successor' }).execute();
        await write('f/after/');
        return async () => {};
      },
    });
    await queue.add(database.db, job(1));
    await queue.start({ isOnlyProcess: true });
    await until(() => outcomes.length === 2);
    expect(outcomes).toEqual(['written', 'LeaseLostError']);
    const rows = await database.db.selectFrom('pending_deletes').select('prefix').execute();
    expect(rows).toEqual([{ prefix: 'f/before/' }]);
  });

  test('takes over at once what a dead predecessor was doing, when it is alone', async () => {
    const database = await openDatabase();
    const { queue } = open(database, {});
    await queue.add(database.db, job(1));
    const now = Date.now();
    await leaseJob(database, {
      kind: 'count',
      token: 'dead',
      now: Date.now(),
      expiry: now,
      until: now + 3_600_000,
    });
    await queue.start({ isOnlyProcess: true });
    await until(async () => (await states(database)).join() === 's1 done');
  });
});

await describeOnPostgres('jobs', (openDatabase) => {
  test('the row of a job is locked after what the job is about, as by a deletion', async () => {
    const database = await openDatabase();
    const outcomes: string[] = [];
    const lockJob = (subject: string) =>
      database.db
        .selectFrom('jobs')
        .select('id')
        .where('subject', '=', subject)
        .forUpdate()
        .noWait()
        .execute()
        .then(
          () => outcomes.push('free'),
          () => outcomes.push('locked'),
        );
    // A renewal of the lease locks the row too, for as long as it takes.
    const times = { ...QUICK, heartbeatIntervalMs: 60_000, leaseMs: 120_000 };
    const { queue } = open(
      database,
      {
        async run({ subject, payload: { n } }) {
          if (n === 2) throw new Failure('No.', { retry: 'never' });
          return async () => void (await lockJob(subject));
        },
        giveUp: async (_tx, { subject }) => void (await lockJob(subject)),
      },
      { times },
    );
    await queue.start({ isOnlyProcess: false });
    for (const n of [1, 2]) await queue.add(database.db, job(n));
    queue.wake('count');
    await until(() => outcomes.length === 2);
    expect(outcomes).toEqual(['free', 'free']);
  });
});
