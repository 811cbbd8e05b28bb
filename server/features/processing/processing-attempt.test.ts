import { expect, test } from 'bun:test';
import { insertBuckets } from '../../../tests/support/fixtures/bucket-rows.ts';
import { describeEachEngine, describeOnSqlite } from '../../../tests/support/server/engines.ts';
import { DAY, HOUR, SECOND } from '../../contract/limits.ts';
import type { MediaResult } from '../../contract/media.ts';
import { upstreamUnavailable } from '../../errors.ts';
import type { Statement } from '../../platform/db/batch.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import { openMemoryEvents } from '../../platform/events/memory.ts';
import { LeaseLostError, type Writes } from '../../platform/queue/handler.ts';
import { deleteTimeOf, scheduleDelete } from '../../platform/storage/pending-deletes-store.ts';
import type { SourceObject } from '../../platform/storage/port.ts';
import { blobInsertion, UNREAD } from '../files/blobs-store.ts';
import { FILE_EVENTS, type FileEventEnvelope } from '../files/file-wire.ts';
import { fileById, fileInsertions } from '../files/store.ts';
import type { MediaFileRow } from '../files/tables.ts';
import { type AttemptDeps, ProcessingAttempt } from './processing-attempt.ts';
import { videoJob } from './processing-jobs.ts';

type RunOptions = Parameters<AttemptDeps['media']['run']>[1];

const RESULT = { objects: [], entry: 'master.m3u8', width: 640, height: 360, duration: 1 };
/** The prefix of results whose deletion was scheduled with the job. */
const PLANNED = 'f/b/f/planned/';
const OBJECT = { key: 'u/f/0', size: 7 };
const unavailable = () => upstreamUnavailable(new Error('gone'), 'It is away.', 1000);
const payload = { bucketId: 'b', userId: 'u', sourcePrefix: 'u/f/', keepSource: true };
const video = {
  ...{ ...payload, sources: [OBJECT.key], resolutions: [], thumbnail: null },
  timelinePreview: false,
};

/** Inserts a video that waits to be processed. */
async function withFile(database: Database): Promise<Database> {
  const { db } = database;
  await insertBuckets(db, 1);
  const name = { name: 'a.mp4', path: 'a.mp4', content_type: 'video/mp4', superseded_at: null };
  const about = { ...name, size: 7, file_type: 'video', access: 'public', stored_bytes: 7 };
  const state = { status: 'processing', blob_id: 'f', sha256: null, created_at: 1 };
  const row = { id: 'f', bucket_id: 'b', ...about, ...state } as MediaFileRow;
  await database.batch(fileInsertions(db, row));
  return database;
}

/** Starts an attempt whose media process does `work`. Its lease can be lost. */
function start(
  database: Database,
  work: (options: RunOptions) => Promise<void>,
  more: Partial<Omit<AttemptDeps, 'objects'>> & { objects?: Partial<AttemptDeps['objects']> } = {},
  isFirst = false,
  sources = video.sources,
) {
  const lease = { isLost: false };
  let extend = async () => {};
  const objects = {
    list: async function* () {
      yield OBJECT;
    },
    head: async () => null,
    compose: async () => {
      throw new Error('An upload of one object needs no other.');
    },
  };
  const deps = {
    database,
    clock: Date.now,
    events: openMemoryEvents({ onError: (error) => expect(error).toBeNull() }),
    buckets: { contents: { additions: () => [] } },
    announcements: async () => [],
    media: {
      run: async (_job: unknown, options: RunOptions) => {
        await work(options);
        return RESULT;
      },
    },
    ...more,
    objects: { ...objects, ...more.objects },
  };
  const attempt = {
    subject: 'f',
    payload: { ...video, resultPrefix: PLANNED },
    isFirst,
    signal: new AbortController().signal,
    report: () => {},
    onRenewal: (renewal: () => Promise<void>) => {
      extend = renewal;
    },
    batch: async (statements: Statement[]) => {
      if (lease.isLost) throw new LeaseLostError();
      await database.batch(statements);
    },
    transaction: (write: (tx: Tx) => Promise<unknown>) =>
      database.transaction(async (tx) => {
        const result = await write(tx);
        if (lease.isLost) throw new LeaseLostError();
        return result;
      }),
  };
  const processing = new ProcessingAttempt(deps as never, attempt as never, (prefix) =>
    videoJob({ ...video, sources }, prefix),
  ).run();
  processing.catch(() => {});
  return { processing, lease, renew: () => extend() };
}

/** Publishes what an attempt has made. */
const publish = async ({ batch }: Database, processing: ReturnType<ProcessingAttempt['run']>) =>
  batch(await statementsOf(await processing));

function statementsOf(writes: Writes): Promise<Statement[]> {
  if (!('statements' in writes)) throw new Error('The attempt replaces a file.');
  return writes.statements();
}

const rowOf = async ({ db }: Database) => {
  const row = await fileById(db, 'f');
  if (!row) throw new Error('The file is gone.');
  return row;
};

/** Returns what a test awaits of an attempt, and lets go later. */
function pausedWork() {
  const playable = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const started = Promise.withResolvers<RunOptions>();
  const work = async (options: RunOptions) => {
    started.resolve(options);
    await playable.promise;
    options.onPlayable?.(RESULT as MediaResult);
    await end.promise;
  };
  return { work, started: started.promise, playable, end };
}

await describeEachEngine('an attempt', (openDatabase) => {
  test('leaves what lies beside a kept original to the pending deletes, which stop for a backup', async () => {
    const database = await withFile(await openDatabase());
    const objects = {
      list: async function* () {
        yield OBJECT;
        yield { key: 'u/f/1.left-by-a-crash', size: 5 };
      },
    };
    await publish(database, start(database, async () => {}, { objects }).processing);
    expect(await rowOf(database)).toMatchObject({ stored_bytes: OBJECT.size });
    expect(
      await database.db.selectFrom('pending_deletes').select(['prefix', 'user_id']).execute(),
    ).toEqual([{ prefix: 'u/f/1.left-by-a-crash', user_id: null }]);
  });

  test('composes a video in several objects to one, whose deletion is pending until it is published', async () => {
    const database = await withFile(await openDatabase());
    const about = { id: 'f', bucket_id: 'b', prefix: 'u/f/', object_key: null, size: 10, refs: 1 };
    const unsaid = { md5: null, etag: null, checksum: null, parts: null, ...UNREAD };
    const row = { ...about, ...unsaid, created_at: 1 };
    await database.batch([blobInsertion(database.db, row)]);
    const parts = [{ key: 'u/f/1', size: 3 }, OBJECT];
    const composed: [string, SourceObject[]][] = [];
    const isPending = async (prefix: string) =>
      (await deleteTimeOf(database.db, prefix)) !== undefined;
    const objects = {
      // What is not listed yet is asked for, and the picture of the video is not kept.
      list: async function* () {
        yield { key: 'u/f/thumbnail', size: 9 };
        yield OBJECT;
      },
      head: async (key: string) => (key === 'u/f/1' ? { size: 3, modifiedAt: 1 } : null),
      compose: async (key: string, sources: SourceObject[]) => {
        expect(await isPending(key.slice(0, -'original'.length))).toBe(true);
        composed.push([key, sources]);
        return { size: 10 };
      },
    };
    const sources = parts.map(({ key }) => key);
    const { processing } = start(database, async () => {}, { objects }, false, sources);
    await processing;
    const blob = () =>
      database.db.selectFrom('blobs').select(['prefix', 'object_key']).executeTakeFirstOrThrow();
    const [[key, used] = ['', []]] = composed;
    expect([composed.length, used]).toEqual([1, parts]);
    // A crash here leaves the parts.
    expect((await blob()).object_key).not.toBe(key);
    expect(await isPending('u/f/')).toBe(false);
    await publish(database, processing);
    const prefix = key.slice(0, -'original'.length);
    expect(prefix).toMatch(/^o\/b\/f\/[^/]+\/$/);
    expect(await blob()).toEqual({ prefix, object_key: key });
    expect(await rowOf(database)).toMatchObject({ stored_bytes: 10, blob_id: 'f' });
    const deletes = await database.db.selectFrom('pending_deletes').select('prefix').execute();
    expect(deletes).toEqual([{ prefix: 'u/f/' }]);
  });

  test('that loses its file while it composes leaves the one object to the pending deletes', async () => {
    const database = await withFile(await openDatabase());
    const objects = {
      list: async function* () {
        yield OBJECT;
        yield { key: 'u/f/1', size: 3 };
      },
      compose: async () => ({ size: 10 }),
    };
    const { processing } = start(database, async () => {}, { objects }, false, ['u/f/0', 'u/f/1']);
    await processing;
    await database.db.updateTable('media').set({ status: 'error' }).execute();
    await publish(database, processing);
    const deletes = await database.db
      .selectFrom('pending_deletes')
      .select('prefix')
      .where('not_before', '<=', Date.now())
      .execute();
    expect(deletes.map(({ prefix }) => prefix.slice(0, 6)).toSorted()).toEqual([
      'f/b/f/',
      'o/b/f/',
    ]);
  });

  test('that was paused neither overwrites nor withdraws what its successor has published early', async () => {
    const database = await withFile(await openDatabase());
    const [paused, successor] = [pausedWork(), pausedWork()];
    const first = start(database, paused.work);
    await paused.started;
    first.lease.isLost = true;
    const second = start(database, successor.work);
    await successor.started;
    successor.playable.resolve();
    while ((await rowOf(database)).playable === 0) await Bun.sleep(5);
    const { prefix } = await rowOf(database);

    paused.playable.resolve();
    paused.end.reject(new Error('cancelled'));
    await expect(first.processing).rejects.toThrow('cancelled');
    expect(await rowOf(database)).toMatchObject({ playable: 1, prefix });

    successor.end.resolve();
    await publish(database, second.processing);
    expect(await rowOf(database)).toMatchObject({ status: 'success', prefix });
    const deletes = await database.db
      .selectFrom('pending_deletes')
      .select('prefix')
      .where('prefix', '=', prefix)
      .execute();
    expect(deletes).toEqual([]);
  });

  test.each([
    ['the first one stores below the prefix that was planned with the job', true, DAY, true],
    ['the first one whose planned prefix is deleted soon stores below another', true, HOUR, false],
    ['a later one stores below another prefix than the first', false, DAY, false],
  ])('%s', async (_name, isFirst, dueIn, isPlanned) => {
    const database = await withFile(await openDatabase());
    const now = Date.now();
    await scheduleDelete(database.db, PLANNED, now + dueIn);
    const clock = () => now;
    await publish(database, start(database, async () => {}, { clock }, isFirst).processing);
    expect((await rowOf(database)).prefix === PLANNED).toBe(isPlanned);
    const deletes = await database.db.selectFrom('pending_deletes').select('prefix').execute();
    expect(deletes).toEqual(isPlanned ? [] : [{ prefix: PLANNED }]);
  });

  test('the first one whose planned prefix is being deleted stores below another', async () => {
    const database = await withFile(await openDatabase());
    await scheduleDelete(database.db, PLANNED, Date.now() + DAY);
    await database.db.updateTable('pending_deletes').set({ started_at: 1 }).execute();
    await publish(database, start(database, async () => {}, {}, true).processing);
    expect((await rowOf(database)).prefix).not.toBe(PLANNED);
  });

  test('that takes days keeps its results, also when the clock jumps', async () => {
    const database = await withFile(await openDatabase());
    const { work, started, playable, end } = pausedWork();
    let now = Date.now();
    const { processing, renew } = start(database, work, { clock: () => now });
    await started;
    const due = async () =>
      (
        await database.db
          .selectFrom('pending_deletes')
          .select('not_before')
          .executeTakeFirstOrThrow()
      ).not_before - now;
    expect(await due()).toBe(DAY);
    for (const hours of [11, 11, 11, 500, -600, 30]) {
      now += hours * HOUR;
      await renew();
      expect(await due()).toBeGreaterThan(DAY / 2);
    }
    playable.resolve();
    end.resolve();
    await publish(database, processing);
    expect((await rowOf(database)).status).toBe('success');
    await renew();
    expect(await database.db.selectFrom('pending_deletes').selectAll().execute()).toEqual([]);
  });

  test('whose database is away while the hash is known does not fail at its end for that', async () => {
    const database = await withFile(await openDatabase());
    let isAway = false;
    const blinking: Database = {
      ...database,
      db: database.db.withPlugin({
        transformQuery: ({ node }) => {
          if (isAway) throw unavailable();
          return node;
        },
        transformResult: async ({ result }) => result,
      }),
    };
    const { processing } = start(blinking, async ({ onHash }) => {
      isAway = true;
      onHash?.('abc');
      await Bun.sleep(1);
      isAway = false;
    });
    await publish(database, processing);
    expect(await rowOf(database)).toMatchObject({ status: 'success', sha256: 'abc' });
  });

  test('that fails keeps the hash of the upload', async () => {
    const database = await withFile(await openDatabase());
    const { processing } = start(database, async ({ onHash }) => {
      onHash?.('abc');
      throw new Error('broken');
    });
    await expect(processing).rejects.toThrow('broken');
    expect(await rowOf(database)).toMatchObject({ status: 'processing', sha256: 'abc' });
  });
});

describeOnSqlite('an attempt', (openDatabase) => {
  test('whose storage is away when the video is encoded waits for it', async () => {
    const database = await withFile(await openDatabase());
    let tries = 0;
    const objects = {
      list: async function* () {
        tries += 1;
        if (tries < 3) throw unavailable();
        yield OBJECT;
      },
    };
    const { processing } = start(database, async () => {}, {
      objects,
      storageRetryIntervalMs: 1,
    });
    await publish(database, processing);
    expect(tries).toBe(3);
    expect(await rowOf(database)).toMatchObject({ status: 'success', stored_bytes: 7 });
  });

  test('whose results are gone at its end is made again, which is no attempt of it', async () => {
    const database = await withFile(await openDatabase());
    const { processing } = start(database, async () => {});
    await processing;
    await database.db.updateTable('pending_deletes').set({ started_at: 1 }).execute();
    await expect(publish(database, processing)).rejects.toMatchObject({ retry: 'later' });
    expect((await rowOf(database)).status).toBe('processing');
  });

  test('publishes its progress at most once a second, and each per cent at most once', async () => {
    let now = 0;
    const published: number[] = [];
    const events = openMemoryEvents({ onError: (error) => expect(error).toBeNull() });
    events.subscribe(FILE_EVENTS, (message) =>
      published.push((message as FileEventEnvelope).event.progress),
    );
    const database = await openDatabase();
    const { processing } = start(
      database,
      async ({ onProgress }) => {
        for (const [at, percent] of [
          [0, 0],
          [100, 40],
          [999, 50],
          [1000, 60.2],
          [5000, 60.9],
          [5001, 61],
        ] as const) {
          now = at;
          onProgress(percent);
        }
      },
      { events, clock: () => now },
    );
    await processing;
    expect(published).toEqual([0, 60, 61]);
    expect(now).toBeGreaterThan(5 * SECOND);
  });
});
