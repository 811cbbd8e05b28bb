import { HOUR } from '../../../contract/limits.ts';
import { isUnavailable } from '../../../errors.ts';
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
    received(body, hasher, clock, (now) =>
      postponeDelete(database.db, prefix, now + FORM_TIMEOUT_MS),
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

/**
 * Passes a body on, hashes it, and calls `postpone` with the time, in epoch milliseconds, each hour in which bytes
 * arrive, or as often as `intervalMs` says.
 */
export function received(
  body: ReadableStream<Uint8Array>,
  hasher: { update(bytes: Uint8Array): unknown },
  clock: OriginalDeps['clock'],
  postpone: (now: number) => Promise<void>,
  intervalMs = HOUR,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let postponedAt = clock();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        hasher.update(value);
        if (clock() - postponedAt >= intervalMs) {
          postponedAt = clock();
          await postpone(postponedAt).catch((error) => {
            // What is put off lasts for many intervals.
            if (isUnavailable(error)) return;
            void reader.cancel(error).catch(() => {});
            throw error;
          });
        }
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Its reader decides how much is read ahead.
    { highWaterMark: 0 },
  );
}
