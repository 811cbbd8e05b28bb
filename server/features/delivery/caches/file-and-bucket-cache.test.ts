import { beforeEach, expect, test } from 'bun:test';
import { openMemoryEvents } from '../../../platform/events/memory.ts';
import type { Events } from '../../../platform/events/port.ts';
import { BUCKET_EVENTS, type Bucket } from '../../buckets/service.ts';
import { type DeliveredFile, FILE_EVENTS } from '../../files/service.ts';
import { FileAndBucketCache } from './file-and-bucket-cache.ts';

const IDS = { bucketId: 'b', fileId: 'f' };
let reads = 0;
let version = 1;
/** Settles reads that have begun. */
let respond: () => void;
let events: Events;
/** Tells the listeners that the connection of the events was lost. */
let gap: () => void;
let rows: FileAndBucketCache;

const file = (status = 'success') =>
  ({
    ...{ id: 'f', bucket_id: 'b', status },
    ...{ path: 'a.txt', name: 'a.txt' },
  }) as DeliveredFile;
const bucket = () => ({ id: 'b', user_id: 'u', key_version: version }) as Bucket;

beforeEach(() => {
  [reads, version] = [0, 1];
  const memory = openMemoryEvents({
    onError: (error) => {
      throw error;
    },
  });
  const gaps = new EventTarget();
  gap = () => void gaps.dispatchEvent(new Event('gap'));
  events = {
    ...memory,
    onGap(listener) {
      gaps.addEventListener('gap', listener);
      return () => gaps.removeEventListener('gap', listener);
    },
  };
  rows = new FileAndBucketCache(events, {
    async file() {
      reads += 1;
      return file();
    },
    async fileAt(_bucketId, path) {
      reads += 1;
      return path === 'a.txt' ? file() : undefined;
    },
    async bucket(id) {
      reads += 1;
      return id === 'b' ? bucket() : undefined;
    },
  });
});

const changes: [string, () => Promise<void>][] = [
  [
    'the file is deleted',
    () => events.publish(FILE_EVENTS, { event: { type: 'file.deleted', file_id: 'f' } }),
  ],
  ['the key of the bucket is rolled', () => events.publish(BUCKET_EVENTS, { bucketId: 'b' })],
  ['the account of the bucket is banned', () => events.publish(BUCKET_EVENTS, { userId: 'u' })],
  ['events may have been missed', async () => gap()],
];

/** Returns rows that are found at once; undefined where they have to be read. */
function cachedIn(cache: FileAndBucketCache, ids: typeof IDS) {
  const found = cache.find(ids);
  return found instanceof Promise ? undefined : found;
}

test('rows are read once', async () => {
  await rows.find(IDS);
  await rows.find(IDS);
  expect([reads, cachedIn(rows, IDS)?.bucket.key_version]).toEqual([2, 1]);
});

test('rows of one bucket are not found by another', async () => {
  await rows.find(IDS);
  expect(cachedIn(rows, { ...IDS, bucketId: 'other' })).toBeUndefined();
  expect(await rows.find({ ...IDS, bucketId: 'other' })).toBeUndefined();
});

test.each(changes)('rows are read again once %s', async (_, change) => {
  await rows.find(IDS);
  const before = reads;
  await change();
  expect(cachedIn(rows, IDS)).toBeUndefined();
  expect(await rows.find(IDS)).toBeDefined();
  expect(reads).toBeGreaterThan(before);
});

/** What tenants do all the time, none of which is about these rows. */
const changesOfOthers: [string, () => Promise<void>][] = [
  ...(
    ['file.playable', 'file.success', 'file.error', 'file.deleted', 'file.progress'] as const
  ).map((type): [string, () => Promise<void>] => [
    `${type} of another file`,
    () => events.publish(FILE_EVENTS, { event: { type, file_id: 'other', bucket_id: 'b' } }),
  ]),
  ['another bucket changes', () => events.publish(BUCKET_EVENTS, { bucketId: 'other' })],
  ['another account changes', () => events.publish(BUCKET_EVENTS, { userId: 'other' })],
];

test.each(changesOfOthers)('rows stay current after %s', async (_, change) => {
  await rows.find(IDS);
  const cached = cachedIn(rows, IDS);
  await change();
  expect(cached?.isCurrent()).toBe(true);
  expect(cachedIn(rows, IDS)).toBeDefined();
});

test.each(changes)('rows that somebody keeps are no longer current once %s', async (_, change) => {
  await rows.find(IDS);
  const cached = cachedIn(rows, IDS);
  expect(cached?.isCurrent()).toBe(true);
  await change();
  expect(cached?.isCurrent()).toBe(false);
  await rows.find(IDS);
  expect([cached?.isCurrent(), cachedIn(rows, IDS)?.isCurrent()]).toEqual([false, true]);
});

test('rows that others have displaced are no longer current, as no event would find them', async () => {
  rows = new FileAndBucketCache(events, {
    file: async (id) => ({ ...file(), id, path: id }),
    fileAt: async () => undefined,
    bucket: async () => bucket(),
  });
  await rows.find(IDS);
  const cached = cachedIn(rows, IDS);
  for (let n = 0; n < 20_000; n += 1) await rows.find({ ...IDS, fileId: `other ${n}` });
  expect(cachedIn(rows, IDS)).toBeUndefined();
  expect(cached?.isCurrent()).toBe(false);
});

test('a change of a bucket leaves its files, which are not delivered without it', async () => {
  await rows.find(IDS);
  await events.publish(BUCKET_EVENTS, { bucketId: 'b' });
  const before = reads;
  await rows.find(IDS);
  expect(reads).toBe(before + 1);
});

test('a rolled key is seen at once', async () => {
  await rows.find(IDS);
  version = 2;
  await events.publish(BUCKET_EVENTS, { bucketId: 'b' });
  expect((await rows.find(IDS))?.bucket.key_version).toBe(2);
});

/** Finds rows whose bucket is read before a change and arrives after it. */
async function findDuring(
  change: () => Promise<void>,
  find = (cache: FileAndBucketCache) => cache.find(IDS),
) {
  rows = new FileAndBucketCache(events, {
    file: () => Promise.resolve(file()),
    fileAt: () => Promise.resolve(file()),
    bucket: () => {
      const old = bucket();
      return new Promise((resolve) => {
        respond = () => resolve(old);
      });
    },
  });
  const pending = find(rows);
  await change();
  respond();
  await pending;
}

test.each(changes)('rows read before and found after %s are not kept', async (_, change) => {
  await findDuring(change);
  expect(cachedIn(rows, IDS)).toBeUndefined();
});

test.each(changesOfOthers.slice(0, -1))('rows read during %s are kept', async (_, change) => {
  await findDuring(change);
  expect(cachedIn(rows, IDS)).toBeDefined();
});

test('progress changes nothing, and what is being processed is never kept', async () => {
  await rows.find(IDS);
  await events.publish(FILE_EVENTS, { event: { type: 'file.progress', file_id: 'f' } });
  expect(cachedIn(rows, IDS)).toBeDefined();
  const processing = new FileAndBucketCache(events, {
    file: async () => file('processing'),
    fileAt: async () => file('processing'),
    bucket: async () => bucket(),
  });
  await processing.find(IDS);
  expect(cachedIn(processing, IDS)).toBeUndefined();
});

/** Returns the rows of the file at a path that are found at once; undefined where they have to be read. */
function cachedAt(cache: FileAndBucketCache, path: string) {
  const found = cache.findAt('b', path);
  return found instanceof Promise ? undefined : found;
}

test('the file at a path is read once, by its path or by its id', async () => {
  await rows.findAt('b', 'a.txt');
  expect([reads, cachedAt(rows, 'a.txt')?.file.id, cachedIn(rows, IDS)?.file.id]).toEqual([
    ...[2, 'f', 'f'],
  ]);
  expect(await rows.findAt('other', 'a.txt')).toBeUndefined();
});

test('that nothing is at a path is not kept', async () => {
  expect(await rows.findAt('b', 'none.txt')).toBeUndefined();
  const before = reads;
  expect(await rows.findAt('b', 'none.txt')).toBeUndefined();
  expect(reads).toBe(before + 1);
});

test.each(changes)('the file at a path is read again once %s', async (_, change) => {
  await rows.findAt('b', 'a.txt');
  const cached = cachedAt(rows, 'a.txt');
  expect(cached?.isCurrent()).toBe(true);
  await change();
  expect([cached?.isCurrent(), cachedAt(rows, 'a.txt')]).toEqual([false, undefined]);
});

test('the file at a path that is read while one of its bucket changes is not kept', async () => {
  const change = (type: string, bucket_id: string) =>
    events.publish(FILE_EVENTS, { event: { type, file_id: 'replaced', bucket_id } });
  const find = (cache: FileAndBucketCache) => cache.findAt('b', 'a.txt');
  await findDuring(() => change('file.replaced', 'b'), find);
  expect(cachedAt(rows, 'a.txt')).toBeUndefined();
  await findDuring(() => change('file.replaced', 'other'), find);
  expect(cachedAt(rows, 'a.txt')).toBeDefined();
});
