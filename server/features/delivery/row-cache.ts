import { LRUCache } from 'lru-cache';
import { SECOND } from '../../contract/limits.ts';
import type { Events } from '../../platform/events/port.ts';
import { BUCKET_EVENTS, type Bucket } from '../buckets/service.ts';
import { type DeliveredFile, FILE_EVENTS, type FileEventEnvelope } from '../files/service.ts';

export type Rows = { file: DeliveredFile; bucket: Bucket };

const FILES = 10_000;
/** Elsewhere a change is seen this late at the latest; in this process at once. */
const CACHE_LIFE = 5 * SECOND;

/** Files and their buckets by the file's id, as `read` finds them, dropped when they change. */
export function createRowCache(
  events: Events,
  read: (ids: { bucketId: string; fileId: string }) => Promise<Rows | null>,
) {
  const known = new LRUCache<string, Rows>({
    max: FILES,
    ttl: CACHE_LIFE,
    ttlResolution: SECOND / 10,
  });
  let changes = 0;
  const forget = (drop: () => void) => {
    changes += 1;
    drop();
  };
  events.subscribe(FILE_EVENTS, (payload) => {
    const { event } = payload as FileEventEnvelope;
    if (event.type !== 'file.progress') forget(() => known.delete(event.fileId));
  });
  // Rare, and one bucket may have many files here.
  events.subscribe(BUCKET_EVENTS, () => forget(() => known.clear()));
  events.onGap(() => forget(() => known.clear()));

  const get = (ids: { bucketId: string; fileId: string }): Rows | undefined => {
    const rows = known.get(ids.fileId);
    return rows?.bucket.id === ids.bucketId ? rows : undefined;
  };

  return {
    /** What is remembered; undefined makes `find` necessary. */
    get,

    /** Null where the bucket has no such file. */
    async find(ids: { bucketId: string; fileId: string }): Promise<Rows | null> {
      const remembered = get(ids);
      if (remembered) return remembered;
      const before = changes;
      const rows = await read(ids);
      // Read before a change and kept after it, a row would outlive a deletion or a rolled key.
      if (rows && rows.file.status !== 'processing' && changes === before) {
        known.set(ids.fileId, rows);
      }
      return rows;
    },
  };
}
