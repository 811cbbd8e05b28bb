import { totalmem } from 'node:os';
import { MIB } from '../../../contract/limits.ts';
import type { StoredObject } from '../../../platform/storage/port.ts';

type CachedBlob = { bytes: Blob | null; wasUsed: boolean; isLoading: boolean };

/** Once memory is full, one in so many misses takes another's place: more would only churn. */
const ADMITTED = 8;
const LOAD_CONCURRENCY = 8;

/**
 * Holds the bytes of small objects up to `budget` bytes. What has been used since it was last
 * looked at stays longest (CLOCK), and a hit costs no bookkeeping but a flag.
 */
export function createBlobCache(budget: number, random: () => number = Math.random) {
  const ring = new Set<CachedBlob & { bytes: Blob }>();
  let used = 0;
  let loads = 0;

  const makeRoom = (size: number) => {
    for (const one of ring) {
      if (used + size <= budget) return;
      ring.delete(one);
      if (one.wasUsed) {
        one.wasUsed = false;
        ring.add(one);
        continue;
      }
      used -= one.bytes.size;
      Object.assign(one, { bytes: null });
    }
  };

  const load = async (entry: CachedBlob, object: StoredObject) => {
    const isFull = used + object.size > budget;
    if (entry.isLoading || loads === LOAD_CONCURRENCY || object.size > budget) return;
    if (isFull && random() >= 1 / ADMITTED) return;
    entry.isLoading = true;
    loads += 1;
    try {
      // As a Blob, whose bytes Bun sends without copying them first.
      const bytes = new Blob([await new Response(object.body()).arrayBuffer()]);
      if (bytes.size !== object.size) return;
      makeRoom(bytes.size);
      used += bytes.size;
      ring.add(Object.assign(entry, { bytes, wasUsed: false }));
    } catch {
      // The object has just been removed: whoever asks the store hears of it.
    } finally {
      entry.isLoading = false;
      loads -= 1;
    }
  };

  return {
    /** How many bytes are held. */
    used: () => used,

    /** The object's body, from memory where it is held; asking for it is what makes it so. */
    bodyOf(object: StoredObject): StoredObject['body'] {
      const entry: CachedBlob = { bytes: null, wasUsed: false, isLoading: false };
      return (range) => {
        const { bytes } = entry;
        if (!bytes) {
          void load(entry, object);
          return object.body(range);
        }
        entry.wasUsed = true;
        return range ? bytes.slice(range.start, range.end) : bytes;
      };
    },
  };
}

/**
 * A sixteenth of what this process may have, within reason: a small server has other uses for it.
 */
export function memoryBudget(): number {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const share = Math.min(limit, totalmem()) / 16;
  return Math.round(Math.min(256 * MIB, Math.max(32 * MIB, share)));
}
