import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND } from '../../../contract/limits.ts';
import type { Events } from '../../../platform/events/port.ts';
import { BUCKET_EVENTS, type Bucket } from '../../buckets/service.ts';
import { type DeliveredFile, FILE_EVENTS, type FileEventEnvelope } from '../../files/service.ts';

export type Rows = { file: DeliveredFile; bucket: Bucket };

const FILES = 10_000;
const BUCKETS = 1_000;
/**
 * A change is told at once, here and by the database's channel elsewhere. Should word be lost, keys
 * and states of buckets are seen this late at the latest, and files, which only ever go, this late.
 * Found by whole URLs they live up to a second longer, and the caches' clock is a tenth late: five.
 */
const BUCKET_TTL_MS = 3.9 * SECOND;
const FILE_TTL_MS = MINUTE;

/** Files and their buckets as `read` finds them, dropped when they change. */
export function createRowCache(
  events: Events,
  read: {
    file(id: string): Promise<DeliveredFile | undefined>;
    bucket(id: string): Promise<Bucket | undefined>;
  },
) {
  const ttlResolution = SECOND / 10;
  const files = new LRUCache<string, DeliveredFile>({
    max: FILES,
    ttl: FILE_TTL_MS,
    ttlResolution,
  });
  const buckets = new LRUCache<string, Bucket>({ max: BUCKETS, ttl: BUCKET_TTL_MS, ttlResolution });
  let changes = 0;
  const forgetAll = () => {
    changes += 1;
    files.clear();
    buckets.clear();
  };
  events.subscribe(FILE_EVENTS, (payload) => {
    const { event } = payload as FileEventEnvelope;
    if (event.type === 'file.progress') return;
    changes += 1;
    files.delete(event.fileId);
  });
  // Rare, and one bucket may have many files here.
  events.subscribe(BUCKET_EVENTS, forgetAll);
  events.onGap(forgetAll);

  const pair = (file: DeliveredFile | undefined, bucket: Bucket | undefined): Rows | undefined =>
    file && bucket && file.bucket_id === bucket.id ? { file, bucket } : undefined;

  return {
    /** Rises with whatever may make a row another one. */
    changes: () => changes,

    /** What is remembered; undefined makes `find` necessary. */
    get: ({ bucketId, fileId }: { bucketId: string; fileId: string }): Rows | undefined =>
      pair(files.get(fileId), buckets.get(bucketId)),

    /** Undefined where the bucket has no such file. */
    async find(ids: { bucketId: string; fileId: string }): Promise<Rows | undefined> {
      const before = changes;
      const [file, bucket] = await Promise.all([
        files.get(ids.fileId) ?? read.file(ids.fileId),
        buckets.get(ids.bucketId) ?? read.bucket(ids.bucketId),
      ]);
      // Read before a change and kept after it, a row would outlive a deletion or a rolled key.
      if (changes === before) {
        if (file && file.status !== 'processing' && !files.has(file.id)) files.set(file.id, file);
        if (bucket && !buckets.has(bucket.id)) buckets.set(bucket.id, bucket);
      }
      return pair(file, bucket);
    },
  };
}
