import { LRUCache } from 'lru-cache';
import { KIB, MIB } from '../../../contract/limits.ts';
import type { ObjectStore, StoredObject } from '../../../platform/storage/port.ts';
import { etagOf } from '../../files/service.ts';
import { type CachedObject, textObject } from '../variants.ts';
import { memoryBudget, ObjectBytesCache } from './object-bytes-cache.ts';

/**
 * Larger objects are sent by the kernel from the disk to the socket, which is faster than any
 * cache.
 */
const MAX_CACHED_BODY_BYTES = 128 * KIB;
/** The limit allows for the metadata of 8,000 objects, or of fewer if some are long playlists. */
const MAX_CACHED_BYTES = 16 * MIB;
/** The largest playlist in bytes. The playlist of a video of ten hours has a tenth of this. */
export const MAX_TEXT_BYTES = 4 * MIB;

/** What is known of an object before it is opened. */
type Expected = {
  /** Whether it is worth compressing. */
  isTextual: boolean;
  /** How many bytes were stored; null where that is not known. */
  bytes: number | null;
};

/**
 * A cache of objects by their keys. Objects never change, so no entry becomes stale, and every
 * request is authorized before it reads the cache. The metadata and the bytes of objects have
 * separate limits, because the metadata of a large library fits into memory when its bytes no
 * longer do.
 */
export class ObjectCache {
  private readonly bytes = new ObjectBytesCache(memoryBudget());
  private readonly objects: LRUCache<string, CachedObject, Expected>;

  constructor(store: Pick<ObjectStore, 'open'>) {
    this.objects = new LRUCache({
      maxSize: MAX_CACHED_BYTES,
      sizeCalculation: weightOf,
      // Requests for a key that is being opened share the result.
      fetchMethod: async (key, _stale, { context: { isTextual, bytes } }) => {
        const object = await store.open(key);
        if (!object) return undefined;
        requireWhole(key, object, bytes);
        return this.prepare(key, object, isTextual);
      },
    });
  }

  /** Returns a cached object; undefined where it has to be opened. */
  get(key: string): CachedObject | undefined {
    return this.objects.get(key);
  }

  /** Opens an object, at once where it is cached; undefined where there is none. Rejects for one that has lost bytes. */
  open(
    key: string,
    { isTextual = false, bytes = null }: Partial<Expected> = {},
  ): CachedObject | Promise<CachedObject | undefined> {
    return this.objects.get(key) ?? this.objects.fetch(key, { context: { isTextual, bytes } });
  }

  private async prepare(
    key: string,
    object: StoredObject,
    isTextual: boolean,
  ): Promise<CachedObject> {
    const { size, modifiedAt, link } = object;
    const tag = etagOf(key);
    if (isTextual && size <= MAX_TEXT_BYTES) {
      const text = new Uint8Array(await new Response(object.body()).arrayBuffer());
      return textObject(text, modifiedAt, tag);
    }
    const body = size > MAX_CACHED_BODY_BYTES ? object.body : this.bytes.bodyOf(object);
    return { uncompressed: { size, modifiedAt, etag: `"${tag}"`, body }, packed: null, link };
  }
}

/**
 * Throws where a stored object has another size than it was stored with, which clients would take for the whole of it.
 * @param bytes the size that it was stored with; null where that is unknown
 */
export function requireWhole(
  key: string,
  { size }: Pick<StoredObject, 'size'>,
  bytes: number | null,
): void {
  if (bytes === null || size === bytes) return;
  throw new Error(`The object ${key} has ${size} bytes instead of ${bytes}.`);
}

/** Returns about how many bytes an object takes in a cache, with the headers of its last response. */
export function weightOf({ uncompressed, packed }: CachedObject): number {
  // Headers and names take about this many bytes.
  const about = 2 * KIB;
  return packed ? 2 * about + uncompressed.size + packed.size : about;
}
