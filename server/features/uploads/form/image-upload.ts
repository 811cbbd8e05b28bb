import { IMAGE_MAX_BYTES } from '../../../contract/limits.ts';
import type { Access, FileWire } from '../../../contract/wire.ts';
import { badRequest, conflict } from '../../../errors.ts';
import { type Preconditions, parsePreconditions } from '../../../web/http/conditional-requests.ts';
import { actorOf } from '../../access/principal.ts';
import { type Bucket, fileLimitOf, requireAllowedType } from '../../buckets/service.ts';
import { type Files, keptName } from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import {
  type PathFields,
  parseDestination,
  placeOf,
  requireMayReplace,
} from '../parsing/destination.ts';
import { parseAccess, parseClientId, parseYes } from '../parsing/form-fields.ts';
import { contentLength, type FilePart, readMultipart, withoutBytes } from '../parsing/multipart.ts';
import { peekStream, SNIFF_BYTES } from '../parsing/sniff.ts';
import { requireImage, tooLargeForImage } from '../parsing/type-errors.ts';
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

type Stored = Original & {
  name: string;
  access: Access;
  destination: PathFields;
  webp: boolean;
  /** What is stored of the upload for its `client_id`; undefined where it has none. */
  session: { owner: UploadOwner; sha256: string } | undefined;
};

/**
 * Reads the form of an image upload, which has the fields `access`, `folder`, `webp` and `client_id`, then `file`.
 * Returns the new file, which waits to be processed, or the one that the same image under the same
 * `client_id` has become before. Throws AppError, conflict where that was another image, and then nothing
 * of the upload stays stored.
 */
export async function uploadImage(deps: Deps, caller: Caller, request: Request): Promise<FileWire> {
  const { bucket } = caller;
  const received: Stored[] = [];
  const preconditions = parsePreconditions(request.headers);
  let earlier: FileWire | undefined;
  try {
    await readMultipart(request, {
      ...limitOf(bucket),
      caller,
      async onFile(part) {
        if (part.field !== 'file') throw badRequest('Send the image in the file field.');
        if (earlier || received.length > 0) throw badRequest('Send one file per request.');
        const owner = ownerOf(caller, part);
        earlier = owner && (await findEarlierImage(deps, owner, part.body));
        const length = contentLength(request);
        if (earlier) return;
        const destination = parseDestination(part.fields, preconditions);
        requireMayReplace(caller, destination);
        const about = { length, destination };
        received.push(await storeImage(deps, bucket, owner, part, about));
      },
    });
    if (earlier) return earlier;
    const [stored] = received;
    if (!stored) throw badRequest('No file provided.', 'no-file');
    return await completeImage(deps, caller, stored, preconditions);
  } catch (error) {
    await discardFailed(deps, received, error);
    throw error;
  }
}

/** Returns how large an image may be, and what to say of a larger one. */
const limitOf = (bucket: Bucket) =>
  fileLimitOf(bucket, { maxBytes: IMAGE_MAX_BYTES, tooLarge: tooLargeForImage(bucket.id) });

const ownerOf = ({ bucket, uploader }: Caller, { fields }: FilePart): UploadOwner | undefined =>
  fields.get('client_id')
    ? { bucketId: bucket.id, uploader, clientId: parseClientId(fields) }
    : undefined;

/** Creates the file of a stored image, unless another request has done so under the same `client_id`. */
async function completeImage(
  deps: Deps,
  { bucket, principal }: Caller,
  stored: Stored,
  preconditions: Preconditions,
): Promise<FileWire> {
  const { database, clock, files } = deps;
  const { fileId, name, destination, size, access, prefix, key, webp, session } = stored;
  const upload = {
    ...{ fileId, bucket, size, access, prefix, preconditions, actor: actorOf(principal) },
    ...placeOf(destination, name),
    onConflict: destination.onConflict,
    content: { type: 'image', key, webp } as const,
    expired: () => conflict('The upload took too long. Try again.'),
  };
  const onTaken = { now: clock(), otherwise: () => TAKEN };
  const insertions = session
    ? imageInsertions(database.db, { ...stored, ...session }, onTaken)
    : [];
  try {
    const file = await files.fromUpload(upload, insertions);
    files.announceCreated(file, bucket);
    return file;
  } catch (error) {
    if (error !== TAKEN || !session) throw error;
    const earlier = await earlierImage(deps, session.owner, { size, sha256: session.sha256 });
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
  owner: UploadOwner | undefined,
  part: FilePart,
  { length, destination }: { length: number | null; destination: PathFields },
): Promise<Stored> {
  const access = parseAccess(part.fields);
  const webp = parseYes(part.fields, 'webp');
  const hashed = owner && { owner, ...hashBody(part.body) };
  const { head, body } = await peekStream(hashed?.body ?? part.body, SNIFF_BYTES);
  if (head.byteLength === 0) throw withoutBytes(part, 'No file provided.');
  requireAllowedType(bucket, await requireImage(head, bucket.id));
  const options = { length, maxBytes: limitOf(bucket).maxBytes, objectName: 'original' };
  const original = await storeOriginal(deps, bucket, options, () => body);
  const name = keptName(part.fileName, 'image');
  const session = hashed && { owner: hashed.owner, sha256: hashed.sha256() };
  return { ...original, name, access, destination, webp, session };
}
