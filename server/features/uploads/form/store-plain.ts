import { HOUR } from '../../../contract/limits.ts';
import { postponeDelete } from '../../../platform/storage/pending-deletes-store.ts';
import type { SourceObject } from '../../../platform/storage/port.ts';
import type { Bucket } from '../../buckets/service.ts';
import { objectNameOf } from '../../files/service.ts';
import { FORM_TIMEOUT_MS } from '../parsing/multipart.ts';
import { ContentHasher, type ContentHashes } from '../sessions/content-hashes.ts';
import { copyOriginal, type Original, type OriginalDeps, storeOriginal } from './store-original.ts';

/** The bytes of a file that is stored as it is. */
export type StoredPlain = Original & ContentHashes;

/**
 * Stores a body as it is, whose bytes are reserved before they arrive. Their deletion is put off for as long as they
 * arrive, and ended by the commit that creates the file. Throws storage-full, quota-exceeded, too-large, bucket-full.
 * @param options.name that of the file
 * @param options.length the bytes of the whole request; null where the client does not say
 */
export async function storePlain(
  deps: OriginalDeps,
  bucket: Bucket,
  { name, ...options }: { name: string; length: number | null; maxBytes: number },
  body: ReadableStream<Uint8Array>,
): Promise<StoredPlain> {
  const { database, clock } = deps;
  const hasher = new ContentHasher();
  const named = { ...options, objectName: objectNameOf(name) };
  const original = await storeOriginal(deps, bucket, named, (prefix) =>
    hashed(
      keptAlive(clock, body, (now) => postponeDelete(database.db, prefix, now + FORM_TIMEOUT_MS)),
      hasher,
    ),
  );
  return { ...original, ...hasher.digest() };
}

/** Stores the bytes of another object for a file of a name, as `storePlain` does, but without hashing them. */
export const copyPlain = (
  deps: OriginalDeps,
  bucket: Bucket,
  name: string,
  source: SourceObject,
): Promise<Original> => copyOriginal(deps, bucket, objectNameOf(name), source);

const POSTPONE_INTERVAL_MS = HOUR;

/** Passes a body on, and calls `postpone` with the time, in epoch milliseconds, each hour in which bytes arrive. */
export function keptAlive(
  clock: OriginalDeps['clock'],
  body: ReadableStream<Uint8Array>,
  postpone: (now: number) => Promise<void>,
): ReadableStream<Uint8Array> {
  let postponedAt = clock();
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(bytes, controller) {
        controller.enqueue(bytes);
        if (clock() - postponedAt < POSTPONE_INTERVAL_MS) return;
        postponedAt = clock();
        await postpone(postponedAt);
      },
    }),
  );
}

/** Passes a body on, and hashes it. */
export const hashed = (body: ReadableStream<Uint8Array>, hasher: ContentHasher) =>
  body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        hasher.update(bytes);
        controller.enqueue(bytes);
      },
    }),
  );
