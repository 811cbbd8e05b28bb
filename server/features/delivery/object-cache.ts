import { LRUCache } from 'lru-cache';
import { KIB, MIB } from '../../contract/limits.ts';
import type { ObjectStore, StoredObject } from '../../platform/objects/port.ts';
import { isText } from './content-types.ts';
import { type Subject, subjectHeaders } from './headers.ts';
import { type Deliverable, inMemory, representationOf, textForms } from './representation.ts';

export type ObjectCache = ReturnType<typeof createObjectCache>;

/** Larger ones go from disk to socket inside the kernel, which no copy of ours can beat. */
const SMALL = 128 * KIB;
/** A playlist of ten hours is a tenth of this. */
export const TEXT_MAX = 4 * MIB;
const MEMORY = 48 * MIB;

/**
 * Remembers objects that were delivered: they never change, so nothing here grows stale. Whether
 * a file may be delivered at all is asked before, every time. Bounded in bytes.
 */
export function createObjectCache(objects: ObjectStore) {
  const known = new LRUCache<string, Deliverable, Subject>({
    maxSize: MEMORY,
    sizeCalculation: weightOf,
    // Whoever asks for a key that is being opened waits for the same opening.
    fetchMethod: async (key, _stale, { context }) => {
      const object = await objects.open(key);
      return object ? prepare(object, context) : undefined;
    },
  });

  return {
    /** What is remembered; undefined makes `open` necessary. */
    get: (key: string): Deliverable | undefined => known.get(key),

    /** Undefined where there is no such object. */
    open: (key: string, subject: Subject): Promise<Deliverable | undefined> =>
      known.fetch(key, { context: subject }),
  };
}

async function prepare(object: StoredObject, subject: Subject): Promise<Deliverable> {
  const common = subjectHeaders(subject);
  const hash = await object.hash();
  if (isText(subject.name) && object.size <= TEXT_MAX) {
    return textForms(await bytesOf(object), object.modifiedAt, common, hash);
  }
  const source = object.size > SMALL ? object : { ...object, ...inMemory(await bytesOf(object)) };
  return { plain: representationOf(source, common, hash), packed: null };
}

const bytesOf = async (object: StoredObject) =>
  new Uint8Array(await new Response(object.body()).arrayBuffer());

function weightOf({ plain, packed }: Deliverable): number {
  // Headers and names weigh about this much.
  const about = 2 * KIB;
  if (packed) return 2 * about + plain.size + packed.size;
  return about + (plain.size > SMALL ? 0 : plain.size);
}
