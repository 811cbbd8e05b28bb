import type { FileWire } from '../../../contract/wire.ts';
import { badRequest, conflict } from '../../../errors.ts';
import { parsePreconditions } from '../../../web/http/conditional-requests.ts';
import { actorOf } from '../../access/principal.ts';
import { type Bucket, fileLimitOf, requireAllowedType } from '../../buckets/service.ts';
import { type Files, keptName } from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import { parseDestination, placeOf, requireMayReplace } from '../parsing/destination.ts';
import { parseAccess, requireTaken } from '../parsing/form-fields.ts';
import { contentLength, type FilePart, readMultipart } from '../parsing/multipart.ts';
import { peekStream, plainTypeOf, SNIFF_BYTES, typeOfBytes } from '../parsing/sniff.ts';
import { tooLargeOf } from '../parsing/type-errors.ts';
import { discardFailed, type OriginalDeps } from './store-original.ts';
import { type StoredPlain, storePlain } from './store-plain.ts';

type Deps = OriginalDeps & { files: Files; maxFileBytes: number };

type Stored = StoredPlain & { name: string; head: Uint8Array };

const FIELDS = ['access', 'folder', 'path', 'on_conflict'];

/**
 * Reads the form of a file of any type, which has the fields `access`, `path` and `on_conflict` before or after
 * `file`, and the headers If-Match and If-None-Match, and returns the new file. Its bytes are stored as they are.
 * Throws AppError, and then nothing of the upload stays stored.
 */
export async function uploadFile(deps: Deps, caller: Caller, request: Request): Promise<FileWire> {
  const received: Stored[] = [];
  const limit = fileLimitOf(caller.bucket, {
    maxBytes: deps.maxFileBytes,
    tooLarge: tooLargeOf('file', deps.maxFileBytes),
  });
  try {
    const fields = await readMultipart(request, {
      ...limit,
      caller,
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
    const { principal, bucket } = caller;
    requireTaken(fields, FIELDS);
    const preconditions = parsePreconditions(request.headers);
    const destination = parseDestination(fields, preconditions);
    requireMayReplace(caller, destination);
    const { head, ...original } = stored;
    const place = placeOf(destination, original.name);
    const contentType = await plainTypeOf(place.name, head);
    requireAllowedType(bucket, contentType);
    return await deps.files.createPlain({
      ...{ ...original, ...place, contentType },
      ...{ onConflict: destination.onConflict, preconditions },
      ...{ bucket, access: parseAccess(fields), actor: actorOf(principal) },
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
  // The name may come behind the file, with its path.
  const contentType = await typeOfBytes(head);
  if (contentType) requireAllowedType(bucket, contentType);
  return { ...(await storePlain(deps, bucket, { ...options, name }, body)), name, head };
}
