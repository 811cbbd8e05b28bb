import { HOUR } from '../../../contract/limits.ts';
import { formatBytes } from '../../../contract/units.ts';
import type { FileWire } from '../../../contract/wire.ts';
import { badRequest, conflict, isUnavailable, unauthorized } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import type { RegionRouter } from '../../../platform/region-routing.ts';
import { postponeDelete, scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import { can } from '../../access/can.ts';
import { actorOf } from '../../access/principal.ts';
import type { Bucket, Buckets } from '../../buckets/service.ts';
import { type Files, keptName, objectNameOf, originalPrefix } from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import { parseAccess, parseDestination } from '../parsing/form-fields.ts';
import {
  contentLength,
  type FilePart,
  FORM_TIMEOUT_MS,
  readMultipart,
} from '../parsing/multipart.ts';
import { peekStream, plainTypeOf, SNIFF_BYTES } from '../parsing/sniff.ts';
import { reserveUpload } from '../sessions/create-upload.ts';
import {
  FIRST_RESERVATION_BYTES,
  reserveArriving,
  reservingStream,
} from '../sessions/reserve-arriving.ts';

type Deps = {
  database: Database;
  objects: ObjectStore;
  clock: Clock;
  buckets: Pick<Buckets, 'quotas'>;
  files: Files;
  regionRouter: RegionRouter;
  maxFileBytes: number;
};

type Stored = {
  fileId: string;
  prefix: string;
  key: string;
  size: number;
  name: string;
  contentType: string;
  sha256: string;
  md5: string;
};

/**
 * Reads the form of a file of any type, which has the fields `access`, `path` and `on_conflict` before or after
 * `file`, and returns the new file. Its bytes are stored as they are. Throws AppError, and then nothing of the upload stays
 * stored.
 */
export async function uploadFile(deps: Deps, caller: Caller, request: Request): Promise<FileWire> {
  const received: Stored[] = [];
  try {
    const fields = await readMultipart(request, {
      maxBytes: deps.maxFileBytes,
      caller,
      acceptsFieldsAfterFile: true,
      timeoutMs: null,
      tooLarge: `Files can be at most ${formatBytes(deps.maxFileBytes)}.`,
      async onFile(part) {
        if (part.field !== 'file') throw badRequest('Send the file in the file field.');
        if (received.length > 0) throw badRequest('Send one file per request.');
        received.push(await storeFile(deps, caller.bucket, part, contentLength(request)));
      },
    });
    const [stored] = received;
    if (!stored) throw badRequest('No file provided.', 'no-file');
    const { name, contentType } = stored;
    const { principal, bucket } = caller;
    const destination = parseDestination(fields, name);
    if (destination.onConflict === 'replace' && can(principal, 'manage-files', bucket)) {
      throw unauthorized("Write tokens can't replace files. Send the bucket's API key instead.");
    }
    return await deps.files.createPlain({
      ...stored,
      ...destination,
      ...{ bucket, access: parseAccess(fields), actor: actorOf(principal) },
      fileType: contentType.startsWith('audio/') ? 'audio' : 'file',
      expired: () => conflict('The upload took too long. Try again.'),
    });
  } catch (error) {
    // With the database unavailable, the file may exist nevertheless: the pending delete then decides.
    if (!isUnavailable(error)) for (const { prefix } of received) await discard(deps, prefix);
    throw error;
  }
}

/**
 * Stores a file, whose bytes are reserved before they arrive.
 * @param length the bytes of the form; null where the client does not say
 */
async function storeFile(
  deps: Deps,
  bucket: Bucket,
  part: FilePart,
  length: number | null,
): Promise<Stored> {
  const { objects, clock, regionRouter, buckets, maxFileBytes } = deps;
  // A browser sends a field in which no file was chosen as an empty one without a name.
  if (!part.fileName) throw badRequest('No file provided.', 'no-file');
  const name = keptName(part.fileName, 'file');
  const { head, body } = await peekStream(part.body, SNIFF_BYTES);
  const contentType = await plainTypeOf(name, head);
  const fileId = newId(clock());
  const prefix = originalPrefix(regionRouter(bucket.region).root, bucket.id, fileId);
  const key = prefix + objectNameOf(name);
  const bytes = Math.min(length ?? FIRST_RESERVATION_BYTES, maxFileBytes);
  const reservation = { prefix, bytes, deleteAt: clock() + FORM_TIMEOUT_MS };
  await reserveUpload(deps, bucket.user_id, reservation);
  try {
    const reserve = reserveArriving(buckets.quotas, prefix, { reserved: bytes });
    const { hashed, hashes } = hashing(keptAlive(deps, prefix, body));
    const counted = length === null ? reservingStream(hashed, reserve) : hashed;
    const limits = { maxBytes: maxFileBytes, owner: bucket.user_id };
    const { size } = await objects.put(key, counted, limits);
    return { fileId, prefix, key, size, name, contentType, ...hashes() };
  } catch (error) {
    await discard(deps, prefix);
    throw error;
  }
}

const POSTPONE_INTERVAL_MS = HOUR;

/** Passes a body on, and puts off the deletion of what is stored of it for as long as bytes arrive. */
function keptAlive(
  { database, clock }: Deps,
  prefix: string,
  body: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  let postponedAt = clock();
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(bytes, controller) {
        controller.enqueue(bytes);
        if (clock() - postponedAt < POSTPONE_INTERVAL_MS) return;
        postponedAt = clock();
        await postponeDelete(database.db, prefix, postponedAt + FORM_TIMEOUT_MS);
      },
    }),
  );
}

/** Passes a body on and hashes it. `hashes` can be called once, at its end. */
function hashing(body: ReadableStream<Uint8Array>) {
  const [sha256, md5] = [new Bun.CryptoHasher('sha256'), new Bun.CryptoHasher('md5')];
  const hashed = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        sha256.update(bytes);
        md5.update(bytes);
        controller.enqueue(bytes);
      },
    }),
  );
  return { hashed, hashes: () => ({ sha256: sha256.digest('hex'), md5: md5.digest('hex') }) };
}

/** Makes the pending delete due, and ends the reservation. */
async function discard({ database, clock }: Deps, prefix: string): Promise<void> {
  await scheduleDelete(database.db, prefix, clock());
}
