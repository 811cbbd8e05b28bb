import { LRUCache } from 'lru-cache';
import { KIB, MIB } from '../../contract/limits.ts';
import type { ObjectStore, StoredObject } from '../../platform/objects/port.ts';

/** An object with its answer's headers, and its bytes where it is small enough to be held. */
export type CachedObject = {
  object: StoredObject;
  headers: Headers;
  bytes: Blob | null;
};

/** Larger ones go from disk to socket inside the kernel, which no copy of ours can beat. */
const SMALL = 128 * KIB;
const MEMORY = 48 * MIB;

/**
 * Remembers objects that were delivered: they never change, so nothing here grows stale. Whether
 * a file may be delivered at all is asked before, every time. Bounded in bytes.
 */
export function createObjectCache(
  objects: ObjectStore,
  headersOf: (key: string, object: StoredObject) => Headers,
) {
  const known = new LRUCache<string, CachedObject>({
    maxSize: MEMORY,
    // Headers and names weigh about this much.
    sizeCalculation: ({ bytes }) => 2 * KIB + (bytes?.size ?? 0),
  });

  return {
    /** What is remembered; undefined makes `open` necessary. */
    get: (key: string): CachedObject | undefined => known.get(key),

    /** Null where there is no such object. */
    async open(key: string): Promise<CachedObject | null> {
      const remembered = known.get(key);
      if (remembered) return remembered;
      const object = await objects.open(key);
      if (!object) return null;
      const bytes = object.size > SMALL ? null : await inMemory(object);
      const opened = { object, headers: headersOf(key, object), bytes };
      known.set(key, opened);
      return opened;
    },
  };
}

/** As a Blob, whose bytes Bun sends without copying them first. */
const inMemory = async (object: StoredObject) =>
  new Blob([await new Response(object.body()).arrayBuffer()]);
