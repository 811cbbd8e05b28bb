import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { Failure } from '../../../contract/failure.ts';
import { HOUR, MINUTE } from '../../../contract/limits.ts';
import type { ImageTransformJob } from '../../../contract/media.ts';
import type { Transform } from '../../../contract/transforms.ts';
import type { Database } from '../../../platform/db/port.ts';
import { bucketCounters } from '../../buckets/service.ts';
import { addStoredBytes, fileInsertions } from '../../files/store.ts';
import { openUsageFixture, type UsageFixture } from '../../usage/testing/usage-fixture.ts';
import { Eviction } from './eviction.ts';
import { TransformGenerator } from './generate.ts';
import { keyOf, type PublishedFile } from './resolve-transform.ts';
import { countTransforms } from './store.ts';

const NOW = Date.parse('2025-05-05T10:00:00Z');
const BYTES = 100;
const TRANSFORM: Transform = {
  width: 100,
  height: null,
  fit: 'scale-down',
  gravity: { x: 0.5, y: 0.5 },
  format: 'webp',
  quality: null,
  blur: 0,
  sharpen: 0,
  rotate: 0,
  background: null,
};
const ever = new AbortController().signal;

await describeEachEngine('derivatives', (open) => {
  let database: Database;
  let fixture: UsageFixture;
  let file: PublishedFile;
  let runs: number;

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    for (const table of ['users', 'pending_deletes'] as const)
      await database.db.deleteFrom(table).execute();
    fixture = await openUsageFixture(database, NOW);
    file = await addFile();
    runs = 0;
  });

  async function addFile(): Promise<PublishedFile> {
    const bucketId = await fixture.makeBucket();
    const id = await fixture.upload(bucketId, 1000);
    const row = {
      ...{
        id,
        bucket_id: bucketId,
        name: 'a.jpg',
        path: `${id}.jpg`,
        size: 1000,
        file_type: 'image' as const,
      },
      ...{ access: 'public' as const, status: 'success' as const, error: null, prefix: 'f/x/y/z/' },
      ...{ blob_id: null, entry: 'a.jpg', width: 9000, height: 9000, duration: null },
      ...{ playable: 1 as const, thumb_hash: null, poster: null, previews: null, sha256: null },
      ...{
        content_type: 'image/jpeg',
        webp_skipped: 0 as const,
        is_turned: 0 as const,
        warning: null,
        renditions: null,
        retry_until: null,
        superseded_at: null,
        expires_at: null,
        metadata: null,
        headers: null,
        tags: null,
        version_id: null,
        stored_bytes: 1000,
        created_at: NOW,
      },
    };
    await database.batch(fileInsertions(database.db, row));
    return { ...row, region: null };
  }

  /** One process of several. */
  function startProcess({ maxBytes = 1e9, before = async (_: ImageTransformJob) => {} } = {}) {
    const services = {
      database,
      clock: fixture.clock,
      maxBytes,
      onError(error: unknown) {
        throw error;
      },
      files: {
        async addStoredBytes(
          tx: Parameters<typeof addStoredBytes>[0],
          of: PublishedFile,
          bytes: number,
        ) {
          const row = await addStoredBytes(tx, of.id, bytes);
          if (row === undefined) return false;
          const change = { bytes, fileId: of.id, createdAt: row.created_at };
          await fixture.buckets.contents.change(tx, of.bucket_id, change);
          return true;
        },
      } as never,
      media: {
        async run(job: ImageTransformJob) {
          runs += 1;
          await before(job);
          const size = { width: 100, height: 100, duration: null };
          return { ...size, entry: 'a.webp', objects: [{ name: 'a.webp', size: BYTES }] };
        },
      },
    };
    const eviction = new Eviction(services);
    const generator = new TransformGenerator({ ...services, eviction });
    return {
      eviction,
      make(width: number, of = file) {
        const transform = { ...TRANSFORM, width };
        const job = { file: of, name: 'a.jpg', transform, key: keyOf(transform) };
        return generator.make(job, ever);
      },
    };
  }

  const rows = () =>
    database.db.selectFrom('derivatives').selectAll().orderBy('used_at').orderBy('id').execute();
  const pendingDeletes = async () => {
    const all = await database.db.selectFrom('pending_deletes').selectAll().execute();
    return new Map(all.map(({ prefix, not_before }) => [prefix, not_before]));
  };
  async function countFiles() {
    const { stored_bytes } = await database.db
      .selectFrom('files')
      .select('stored_bytes')
      .where('id', '=', file.id)
      .executeTakeFirstOrThrow();
    const bucket = await database.db
      .selectFrom('buckets')
      .select(bucketCounters)
      .where('id', '=', file.bucket_id)
      .executeTakeFirstOrThrow();
    return [stored_bytes, bucket.usage];
  }
  const outcomeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'made',
      (error) => error.code,
    );

  test('of several processes at once are one, counted once; the slower leaves nothing', async () => {
    let arrived = 0;
    const both = Promise.withResolvers<void>();
    const before = async () => {
      arrived += 1;
      if (arrived === 2) both.resolve();
      await both.promise;
    };
    const images = await Promise.all([
      startProcess({ before }).make(100),
      startProcess({ before }).make(100),
    ]);
    expect(new Set(images.map(({ id }) => id)).size).toBe(1);
    expect([runs, (await rows()).length]).toEqual([2, 1]);
    expect(await countFiles()).toEqual([1000 + BYTES, 1000 + BYTES]);
    const pending = await pendingDeletes();
    expect([...pending.values()]).toEqual([NOW]);
    expect(pending.has(images[0]?.prefix ?? '')).toBe(false);
  });

  test('go with their file, and are not made for one that is gone', async () => {
    const process = startProcess({
      async before() {
        await database.db.deleteFrom('files').where('id', '=', file.id).execute();
      },
    });
    expect(await outcomeOf(process.make(100))).toBe('not-found');
    expect([...(await pendingDeletes()).values()]).toEqual([NOW]);

    file = await addFile();
    for (const width of [100, 200]) await startProcess().make(width);
    expect(await countTransforms(database.db, file.bucket_id)).toEqual({
      images: 2,
      bytes: 2 * BYTES,
    });
    await database.db.deleteFrom('files').where('id', '=', file.id).execute();
    expect(await rows()).toEqual([]);
    expect(await countTransforms(database.db, file.bucket_id)).toEqual({ images: 0, bytes: 0 });
  });

  test('of a file are 64, whatever several processes are asked at once', async () => {
    const processes = [startProcess(), startProcess()];
    const outcomes = await Promise.all(
      Array.from({ length: 80 }, (_, at) =>
        outcomeOf(processes[at % 2]?.make(10 * at + 10) as never),
      ),
    );
    expect(outcomes.filter((one) => one === 'made').length).toBe(64);
    expect(outcomes.filter((one) => one === 'too-many').length).toBe(16);
    expect((await rows()).length).toBe(64);
    expect(await countFiles()).toEqual([1000 + 64 * BYTES, 1000 + 64 * BYTES]);
    runs = 0;
    expect(await outcomeOf(startProcess().make(2000))).toBe('too-many');
    expect(runs).toBe(0);

    fixture.move(HOUR);
    const [idle] = await rows();
    await startProcess().make(2000);
    const now = await rows();
    expect([now.length, now.some(({ id }) => id === idle?.id)]).toEqual([64, false]);
    expect(await countFiles()).toEqual([1000 + 64 * BYTES, 1000 + 64 * BYTES]);
    expect((await pendingDeletes()).get(idle?.prefix ?? '')).toBeGreaterThan(fixture.clock());
  });

  test('beyond their bytes go, those not asked for longest first', async () => {
    const { make, eviction } = startProcess({ maxBytes: 3.3 * BYTES });
    const images = [];
    for (const width of [100, 200, 300]) {
      images.push(await make(width));
      fixture.move(2 * MINUTE);
    }
    const [first, second] = images;
    if (first) eviction.touch(first);
    await make(400);
    await eviction.settle();
    const ids = (await rows()).map(({ id }) => id);
    expect([ids.length, ids.includes(first?.id ?? ''), ids.includes(second?.id ?? '')]).toEqual([
      ...[3, true, false],
    ]);
    expect(await countFiles()).toEqual([1000 + 3 * BYTES, 1000 + 3 * BYTES]);
    expect([...(await pendingDeletes()).keys()]).toEqual([second?.prefix ?? '']);
  });

  test('are evicted down to 95 %, so that the next one starts no other eviction', async () => {
    const { make, eviction } = startProcess({ maxBytes: 20 * BYTES });
    const counts = [];
    for (let width = 1; width <= 22; width += 1) {
      await make(width * 10);
      await eviction.settle();
      counts.push((await countTransforms(database.db, file.bucket_id)).images);
    }
    expect(counts.slice(-3)).toEqual([20, 19, 20]);
    expect((await rows()).length).toBe(20);
    expect(await countFiles()).toEqual([1000 + 20 * BYTES, 1000 + 20 * BYTES]);
  });

  test('are removed once by several processes that look at the same time', async () => {
    const one = startProcess();
    for (const width of [100, 200, 300, 400]) await one.make(width);
    const small = { maxBytes: 1.2 * BYTES };
    await Promise.all(
      [startProcess(small), startProcess(small)].map(({ eviction }) => eviction.round()),
    );
    const remaining = await rows();
    expect(remaining.length).toBe(1);
    expect(await countFiles()).toEqual([1000 + BYTES, 1000 + BYTES]);
  });

  test('of a bucket that answers none are removed, others stay', async () => {
    const { make, eviction } = startProcess();
    const other = await addFile();
    await make(100);
    await make(100, other);
    await fixture.buckets.settings.setTransforms(fixture.userId, file.bucket_id, 'off');
    await eviction.round();
    expect((await rows()).map(({ file_id }) => file_id)).toEqual([other.id]);
    expect(await countFiles()).toEqual([1000, 1000]);

    await fixture.buckets.settings.setTransforms(fixture.userId, other.bucket_id, 'off');
    await eviction.round();
    expect((await rows()).length).toBe(1);
    eviction.policyChanged(other.bucket_id);
    await eviction.round();
    expect(await rows()).toEqual([]);
  });

  test('that fail are not tried again at once, by anybody', async () => {
    const { make } = startProcess({
      before: () => Promise.reject(new Failure('No.', { retry: 'never' })),
    });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(await outcomeOf(make(100))).toBe('cannot-transform');
    }
    expect(runs).toBe(1);
    expect([...(await pendingDeletes()).values()]).toEqual([NOW]);
  });
});
