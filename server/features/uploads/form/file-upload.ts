import { HOUR } from '../../../contract/limits.ts';
import { formatBytes } from '../../../contract/units.ts';
import type { FileWire } from '../../../contract/wire.ts';
import { badRequest, conflict, unauthorized } from '../../../errors.ts';
import { postponeDelete } from '../../../platform/storage/pending-deletes-store.ts';
import { parsePreconditions } from '../../../web/http/conditional-requests.ts';
import { can } from '../../access/can.ts';
import { actorOf } from '../../access/principal.ts';
import { type Bucket, fileLimitOf, requireAllowedType } from '../../buckets/service.ts';
import { type Files, keptName, objectNameOf } from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import { parseAccess, parseDestination } from '../parsing/form-fields.ts';
import {
  contentLength,
  type FilePart,
  FORM_TIMEOUT_MS,
  readMultipart,
} from '../parsing/multipart.ts';
import { peekStream, plainTypeOf, SNIFF_BYTES } from '../parsing/sniff.ts';
import {
  discardFailed,
  type Original,
  type OriginalDeps,
  storeOriginal,
} from './store-original.ts';

type Deps = OriginalDeps & { files: Files; maxFileBytes: number };

type Stored = Original & { name: string; contentType: string; sha256: string; md5: string };

/**
 * Reads the form of a file of any type, which has the fields `access`, `path` and `on_conflict` before or after
 * `file`, and the headers If-Match and If-None-Match, and returns the new file. Its bytes are stored as they are.
 * Throws AppError, and then nothing of the upload stays stored.
 */
export async function uploadFile(deps: Deps, caller: Caller, request: Request): Promise<FileWire> {
  const received: Stored[] = [];
  const limit = fileLimitOf(caller.bucket, {
    maxBytes: deps.maxFileBytes,
    tooLarge: `Files can be at most ${formatBytes(deps.maxFileBytes)}.`,
  });
  try {
    const fields = await readMultipart(request, {
      ...limit,
      caller,
      acceptsFieldsAfterFile: true,
      timeoutMs: null,
      async onFile(part) {
        if (part.field !== 'file') throw badRequest('Send the file in the file field.');
        if (received.length > 0) throw badRequest('Send one file per request.');
        const options = { length: contentLength(request), maxBytes: limit.maxBytes };
        received.push(await storeFile(deps, caller.bucket, part, options));
      },
    });
    const [stored] = received;
    if (!stored) throw badRequest('No file provided.', 'no-file');
    const { name, contentType } = stored;
    const { principal, bucket } = caller;
    const preconditions = parsePreconditions(request.headers);
    const destination = parseDestination(fields, name, preconditions);
    if (destination.onConflict === 'replace' && can(principal, 'write-files', bucket)) {
      throw unauthorized("Write tokens can't replace files. Send the bucket's API key instead.");
    }
    return await deps.files.createPlain({
      ...stored,
      ...destination,
      preconditions,
      name: fields.get('path') ? keptName(destination.path, name) : name,
      ...{ bucket, access: parseAccess(fields), actor: actorOf(principal) },
      fileType: contentType.startsWith('audio/') ? 'audio' : 'file',
      expired: () => conflict('The upload took too long. Try again.'),
    });
  } catch (error) {
    await discardFailed(deps, received, error);
    throw error;
  }
}

/**
 * Stores a file, whose bytes are reserved before they arrive.
 * @param options.length the bytes of the form; null where the client does not say
 */
async function storeFile(
  deps: Deps,
  bucket: Bucket,
  part: FilePart,
  options: { length: number | null; maxBytes: number },
): Promise<Stored> {
  // A browser sends a field in which no file was chosen as an empty one without a name.
  if (!part.fileName) throw badRequest('No file provided.', 'no-file');
  const name = keptName(part.fileName, 'file');
  const { head, body } = await peekStream(part.body, SNIFF_BYTES);
  const contentType = await plainTypeOf(name, head);
  requireAllowedType(bucket, contentType);
  const { hashes, hash } = hashing();
  const named = { ...options, objectName: objectNameOf(name) };
  const original = await storeOriginal(deps, bucket, named, (prefix) =>
    hash(keptAlive(deps, prefix, body)),
  );
  return { ...original, name, contentType, ...hashes() };
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

/** Returns a function that passes a body on and hashes it. `hashes` can be called once, at its end. */
function hashing() {
  const [sha256, md5] = [new Bun.CryptoHasher('sha256'), new Bun.CryptoHasher('md5')];
  const hash = (body: ReadableStream<Uint8Array>) =>
    body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          sha256.update(bytes);
          md5.update(bytes);
          controller.enqueue(bytes);
        },
      }),
    );
  return { hash, hashes: () => ({ sha256: sha256.digest('hex'), md5: md5.digest('hex') }) };
}
