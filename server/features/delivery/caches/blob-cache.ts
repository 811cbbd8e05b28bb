import { MIB } from '../../../contract/limits.ts';
import { machineMemory } from '../../../platform/machine-memory.ts';
import type { StoredObject } from '../../../platform/storage/port.ts';

type CachedBlob = { bytes: Blob | null; wasUsed: boolean; isLoading: boolean };

/** When the cache is full, one in this many misses replaces another object, to avoid churn. */
const ADMISSION_INTERVAL = 8;
const LOAD_CONCURRENCY = 8;

/**
 * Creates a cache of the bytes of small objects with at most `budget` bytes. It evicts by CLOCK: an
 * object that was used since the last pass stays, and a hit only sets a flag.
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
    if (isFull && random() >= 1 / ADMISSION_INTERVAL) return;
    entry.isLoading = true;
    loads += 1;
    try {
      // Bun sends the bytes of a Blob without copying them.
      const bytes = new Blob([await new Response(object.body()).arrayBuffer()]);
      if (bytes.size !== object.size) return;
      makeRoom(bytes.size);
      used += bytes.size;
      ring.add(Object.assign(entry, { bytes, wasUsed: false }));
    } catch {
      // The object has just been deleted, which the next request learns from the store.
    } finally {
      entry.isLoading = false;
      loads -= 1;
    }
  };

  return {
    /** Returns how many bytes the cache has. */
    used: () => used,

    /** Returns the function that reads an object's body, from memory after the first call. */
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
 * Returns the bytes for the cache: a sixteenth of the memory that this process may use, 32 to 256
 * MiB.
 */
export function memoryBudget(): number {
  return Math.round(Math.min(256 * MIB, Math.max(32 * MIB, machineMemory() / 16)));
}
