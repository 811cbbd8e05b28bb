import { LRUCache } from 'lru-cache';
import { KIB, MIB } from '../../contract/limits.ts';
import type { ObjectStore, StoredObject } from '../../platform/objects/port.ts';

/** An object with its answer's headers, and its bytes where it is small enough to be held. */
export type CachedObject = {
  object: StoredObject;
  headers: Headers;
  bytes: Blob | null;
};

const OBJECTS = 20_000;
/** Larger ones go from disk to socket inside the kernel, which no copy of ours can beat. */
const SMALL = 128 * KIB;
const MEMORY = 32 * MIB;

/**
 * Remembers objects that were delivered: they never change, so nothing here grows stale. Whether
 * a file may be delivered at all is asked before, every time. Bounded by number and bytes.
 */
export function createObjectCache(
  objects: ObjectStore,
  headersOf: (key: string, object: StoredObject) => Headers,
) {
  const found = new LRUCache<string, CachedObject>({ max: OBJECTS });
  const small = new LRUCache<string, Blob>({
    maxSize: MEMORY,
    sizeCalculation: (bytes) => bytes.size + KIB,
  });

  return {
    /** What is remembered; undefined makes `open` necessary. */
    get(key: string): CachedObject | undefined {
      const cached = found.get(key);
      if (!cached) return undefined;
      cached.bytes = small.get(key) ?? null;
      return cached.bytes || cached.object.size > SMALL ? cached : undefined;
    },

    /** Null where there is no such object. */
    async open(key: string): Promise<CachedObject | null> {
      const cached = this.get(key);
      if (cached) return cached;
      const object = await objects.open(key);
      if (!object) return null;
      const bytes = object.size > SMALL ? null : await inMemory(object);
      if (bytes) small.set(key, bytes);
      const opened = { object, headers: headersOf(key, object), bytes };
      found.set(key, opened);
      return opened;
    },
  };
}

/** As a Blob, whose bytes Bun sends without copying them first. */
const inMemory = async (object: StoredObject) =>
  new Blob([await new Response(object.body()).arrayBuffer()]);
