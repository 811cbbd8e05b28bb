import { LRUCache } from 'lru-cache';
import { KIB, MIB } from '../../../contract/limits.ts';
import type { ObjectStore, StoredObject } from '../../../platform/storage/port.ts';
import { isText, type Subject, subjectHeaders } from '../headers.ts';
import { canRedirect } from '../storage-redirect.ts';
import { type Deliverable, textVariants, variantOf } from '../variants.ts';
import { createBlobCache, memoryBudget } from './blob-cache.ts';

export type ObjectCache = ReturnType<typeof createObjectCache>;

/** Larger ones go from disk to socket inside the kernel, which no copy of ours can beat. */
const SMALL = 128 * KIB;
/** What is known of 8,000 objects, or of fewer with long playlists. */
const MAX_CACHED_BYTES = 16 * MIB;
/** A playlist of ten hours is a tenth of this. */
export const TEXT_MAX = 4 * MIB;

/**
 * Remembers objects that were delivered: they never change, so nothing here grows stale. Whether
 * a file may be delivered at all is asked before, every time. Bounded in bytes: what is known of
 * objects and what is held of them apart, as a large library of small files is known whole long
 * after it no longer fits in memory.
 */
export function createObjectCache(
  objects: Pick<ObjectStore, 'open'>,
  { publicRedirect = false }: { publicRedirect?: boolean } = {},
) {
  const memory = createBlobCache(memoryBudget());
  const cache = new LRUCache<string, Deliverable, Subject>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: weightOf,
    // Requests for a key that is being opened wait for the same result.
    fetchMethod: async (key, _stale, { context }) => {
      const object = await objects.open(key);
      return object ? prepare(object, context, memory, publicRedirect) : undefined;
    },
  });

  const last = new WeakMap<object, { name: string; deliverable: Deliverable }>();

  return {
    /**
     * The same by a row that is remembered: most files have one object that is asked for, and its
     * long key need not be made and hashed for that. Texts are not held by it, as they are large.
     */
    getOf(file: { prefix: string | null }, name: string): Deliverable | undefined {
      const before = last.get(file);
      if (before?.name === name) return before.deliverable;
      const deliverable = file.prefix === null ? undefined : cache.get(file.prefix + name);
      if (deliverable?.packed === null) last.set(file, { name, deliverable });
      return deliverable;
    },

    /** What is remembered; undefined makes `open` necessary. */
    get: (key: string): Deliverable | undefined => cache.get(key),

    /** Undefined where there is no such object. */
    open: (key: string, subject: Subject): Promise<Deliverable | undefined> =>
      cache.fetch(key, { context: subject }),
  };
}

async function prepare(
  object: StoredObject,
  subject: Subject,
  memory: ReturnType<typeof createBlobCache>,
  publicRedirect: boolean,
): Promise<Deliverable> {
  const common = subjectHeaders(subject);
  const hash = await object.hash();
  if (isText(subject.name) && object.size <= TEXT_MAX) {
    const text = new Uint8Array(await new Response(object.body()).arrayBuffer());
    return textVariants(text, object.modifiedAt, common, hash);
  }
  const body = object.size > SMALL ? object.body : memory.bodyOf(object);
  const uncompressed = variantOf({ ...object, body }, common, hash);
  const link = publicRedirect && canRedirect(subject, object.size) ? object.link : undefined;
  return { uncompressed: { ...uncompressed, ...(link && { link }) }, packed: null };
}

function weightOf({ uncompressed, packed }: Deliverable): number {
  // Headers and names weigh about this much.
  const about = 2 * KIB;
  return packed ? 2 * about + uncompressed.size + packed.size : about;
}
