import { IMAGE_MAX_BYTES } from '../../../contract/limits.ts';
import type { FileWire } from '../../../contract/wire.ts';
import { badRequest, conflict } from '../../../errors.ts';
import { type Preconditions, parsePreconditions } from '../../../web/http/conditional-requests.ts';
import { actorOf } from '../../access/principal.ts';
import { type Bucket, fileLimitOf, requireAllowedType } from '../../buckets/service.ts';
import { type Files, keptName } from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import { parseDestination, placeOf, requireMayReplace } from '../parsing/destination.ts';
import {
  type FormFields,
  parseAccess,
  parseClientId,
  parseOptimize,
  parseYes,
  requireTaken,
} from '../parsing/form-fields.ts';
import { contentLength, type FilePart, readMultipart, withoutBytes } from '../parsing/multipart.ts';
import { peekStream, SNIFF_BYTES } from '../parsing/sniff.ts';
import { requireExactImage, requireImage, tooLargeForImage } from '../parsing/type-errors.ts';
import { hashBody } from '../sessions/part-content.ts';
import type { UploadOwner } from '../sessions/store.ts';
import { earlierImage, findEarlierImage, imageInsertions } from './earlier-image.ts';
import {
  discardFailed,
  discardOriginal,
  type Original,
  type OriginalDeps,
  storeOriginal,
} from './store-original.ts';

type Deps = OriginalDeps & { files: Files };

/** Another request has stored an image under the same `client_id`. */
const TAKEN = new Error('The client_id is taken.');

type Stored = Original & { name: string; contentType: string; sha256: string };

const FIELDS = ['access', 'folder', 'path', 'on_conflict', 'webp', 'optimize', 'client_id'];

/**
 * Reads the form of an image upload, which has the fields `access`, `folder` or `path`, `on_conflict`, `webp` and
 * `client_id` before or after `file`. Returns the new file, which waits to be processed, or the one that the same image
 * under the same `client_id` has become before. Throws AppError, conflict where that was another image, and then
 * nothing of the upload stays stored.
 */
export async function uploadImage(deps: Deps, caller: Caller, request: Request): Promise<FileWire> {
  const received: Stored[] = [];
  let earlier: FileWire | undefined;
  try {
    const fields = await readMultipart(request, {
      ...limitOf(caller.bucket),
      caller,
      async onFile(part) {
        if (part.field !== 'file') throw badRequest('Send the image in the file field.');
        if (earlier || received.length > 0) throw badRequest('Send one file per request.');
        // Nothing of a repeated image is stored, where its id comes before it.
        const owner = ownerOf(caller, part.fields);
        earlier = owner && (await findEarlierImage(deps, owner, part.body));
        if (earlier) return;
        received.push(await storeImage(deps, caller.bucket, part, contentLength(request)));
      },
    });
    if (earlier) return earlier;
    const [stored] = received;
    if (!stored) throw badRequest('No file provided.', 'no-file');
    return await completeImage(deps, caller, stored, {
      fields,
      preconditions: parsePreconditions(request.headers),
    });
  } catch (error) {
    await discardFailed(deps, received, error);
    throw error;
  }
}

/** Returns how large an image may be, and what to say of a larger one. */
const limitOf = (bucket: Bucket) =>
  fileLimitOf(bucket, { maxBytes: IMAGE_MAX_BYTES, tooLarge: tooLargeForImage(bucket.id) });

const ownerOf = ({ bucket, uploader }: Caller, fields: FormFields): UploadOwner | undefined =>
  fields.get('client_id')
    ? { bucketId: bucket.id, uploader, clientId: parseClientId(fields) }
    : undefined;

/** Creates the file of a stored image, unless another request has done so under the same `client_id`. */
async function completeImage(
  deps: Deps,
  caller: Caller,
  stored: Stored,
  { fields, preconditions }: { fields: FormFields; preconditions: Preconditions },
): Promise<FileWire> {
  requireTaken(fields, FIELDS);
  const { database, clock, files } = deps;
  const { fileId, name, size, prefix, key, sha256 } = stored;
  const { bucket, principal } = caller;
  const destination = parseDestination(fields, preconditions);
  requireMayReplace(caller, destination);
  const isOptimized = parseOptimize(fields);
  if (!isOptimized) requireExactImage(stored.contentType, bucket.id);
  const upload = {
    ...{ fileId, bucket, size, prefix, preconditions, actor: actorOf(principal) },
    ...placeOf(destination, name),
    ...{ onConflict: destination.onConflict, access: parseAccess(fields) },
    content: { type: 'image', key, webp: parseYes(fields, 'webp'), isOptimized } as const,
    expired: () => conflict('The upload took too long. Try again.'),
  };
  const owner = ownerOf(caller, fields);
  const onTaken = { now: clock(), otherwise: () => TAKEN };
  const insertions = owner ? imageInsertions(database.db, { ...stored, owner }, onTaken) : [];
  try {
    const file = await files.fromUpload(upload, insertions);
    files.announceCreated(file, bucket);
    return file;
  } catch (error) {
    if (error !== TAKEN || !owner) throw error;
    const earlier = await earlierImage(deps, owner, { size, sha256 });
    await discardOriginal(deps, prefix);
    return earlier;
  }
}

/**
 * Stores an image, whose bytes are reserved before they arrive.
 * @param length the bytes of the form; null where the client does not say
 */
async function storeImage(
  deps: Deps,
  bucket: Bucket,
  part: FilePart,
  length: number | null,
): Promise<Stored> {
  const hashed = hashBody(part.body);
  const { head, body } = await peekStream(hashed.body, SNIFF_BYTES);
  if (head.byteLength === 0) throw withoutBytes(part, 'No file provided.');
  const contentType = await requireImage(head, bucket.id);
  requireAllowedType(bucket, contentType);
  const options = { length, maxBytes: limitOf(bucket).maxBytes, objectName: 'original' };
  const original = await storeOriginal(deps, bucket, options, () => body);
  const name = keptName(part.fileName, 'image');
  return { ...original, name, contentType, sha256: hashed.sha256() };
}
