import { LRUCache } from 'lru-cache';
import { KIB, MIB } from '../../../contract/limits.ts';
import { rootOf } from '../../../platform/region-routing.ts';
import type { ObjectStore, StoredObject } from '../../../platform/storage/port.ts';
import { isText, type Subject, subjectHeaders } from '../headers.ts';
import { canRedirect } from '../storage-redirect.ts';
import { type Deliverable, textVariants, variantOf } from '../variants.ts';
import { createBlobCache, memoryBudget } from './blob-cache.ts';

export type ObjectCache = ReturnType<typeof createObjectCache>;

/**
 * Larger objects are sent by the kernel from the disk to the socket, which is faster than any
 * cache.
 */
const MAX_CACHED_BODY_BYTES = 128 * KIB;
/** The limit allows for the metadata of 8,000 objects, or of fewer if some are long playlists. */
const MAX_CACHED_BYTES = 16 * MIB;
/** The largest playlist in bytes. The playlist of a video of ten hours has a tenth of this. */
export const MAX_TEXT_BYTES = 4 * MIB;

/**
 * Creates a cache of delivered objects. Objects never change, so no entry becomes stale, and every
 * request is authorized before it reads the cache. The metadata and the bytes of objects have
 * separate limits, because the metadata of a large library fits into memory when its bytes no
 * longer do.
 */
export function createObjectCache(
  objects: Pick<ObjectStore, 'open'>,
  { publicRedirect = false }: { publicRedirect?: boolean } = {},
) {
  const memory = createBlobCache(memoryBudget());
  const cache = new LRUCache<string, Deliverable, Subject>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: weightOf,
    // Requests for a key that is being opened share the result.
    fetchMethod: async (key, _stale, { context }) => {
      const object = await objects.open(key);
      return object ? prepare(object, tagOf(key), context, memory, publicRedirect) : undefined;
    },
  });

  const last = new WeakMap<object, { name: string; deliverable: Deliverable }>();

  return {
    /**
     * Returns an object of a cached row. Most files have one object that is requested, so this
     * avoids building and hashing its long key. It does not keep texts, because they are large.
     */
    getOf(file: { prefix: string | null }, name: string): Deliverable | undefined {
      const before = last.get(file);
      if (before?.name === name) return before.deliverable;
      const deliverable = file.prefix === null ? undefined : cache.get(file.prefix + name);
      if (deliverable?.packed === null) last.set(file, { name, deliverable });
      return deliverable;
    },

    /** Returns a cached object; undefined where it has to be opened. */
    get: (key: string): Deliverable | undefined => cache.get(key),

    /** Opens an object; undefined where there is none. */
    open: (key: string, subject: Subject): Promise<Deliverable | undefined> =>
      cache.fetch(key, { context: subject }),
  };
}

async function prepare(
  object: StoredObject,
  tag: string,
  subject: Subject,
  memory: ReturnType<typeof createBlobCache>,
  publicRedirect: boolean,
): Promise<Deliverable> {
  const common = subjectHeaders(subject);
  if (isText(subject) && object.size <= MAX_TEXT_BYTES) {
    const text = new Uint8Array(await new Response(object.body()).arrayBuffer());
    return textVariants(text, object.modifiedAt, common, tag);
  }
  const body = object.size > MAX_CACHED_BODY_BYTES ? object.body : memory.bodyOf(object);
  const uncompressed = variantOf({ ...object, body }, common, tag);
  const link = publicRedirect && canRedirect(subject, object.size) ? object.link : undefined;
  return { uncompressed: { ...uncompressed, ...(link && { link }) }, packed: null };
}

/**
 * Returns the ETag of an object, without quotes. The key names its bytes, which never change. The
 * storage of the region does not count, so that an object that is moved keeps its ETag.
 */
const tagOf = (key: string): string => Bun.hash.xxHash3(key.slice(rootOf(key).length)).toString(36);

/** Returns about how many bytes an object takes in a cache. */
export function weightOf({ uncompressed, packed }: Deliverable): number {
  // Headers and names take about this many bytes.
  const about = 2 * KIB;
  return packed ? 2 * about + uncompressed.size + packed.size : about;
}
