import { IMAGE_MAX_BYTES } from '../../../contract/limits.ts';
import type { Access, FileWire } from '../../../contract/wire.ts';
import { badRequest, conflict, isUnavailable } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import type { RegionRouter } from '../../../platform/region-routing.ts';
import { scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import type { Bucket, Buckets } from '../../buckets/service.ts';
import { type Files, keptName, originalPrefix } from '../../files/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import { parseAccess, parseClientId, parseYes } from '../parsing/form-fields.ts';
import {
  contentLength,
  type FilePart,
  FORM_TIMEOUT_MS,
  readMultipart,
  withoutBytes,
} from '../parsing/multipart.ts';
import { peekStream, requireImage, SNIFF_BYTES, tooLargeForImage } from '../parsing/sniff.ts';
import { reserveUpload } from '../sessions/create-upload.ts';
import { hashBody } from '../sessions/part-content.ts';
import {
  FIRST_RESERVATION_BYTES,
  reserveArriving,
  reservingStream,
} from '../sessions/reserve-arriving.ts';
import type { UploadOwner } from '../sessions/store.ts';
import { earlierImage, findEarlierImage, imageInsertions } from './earlier-image.ts';

type Deps = {
  database: Database;
  objects: ObjectStore;
  clock: Clock;
  buckets: Pick<Buckets, 'quotas'>;
  files: Files;
  regionRouter: RegionRouter;
};

/** Another request has stored an image under the same `client_id`. */
const TAKEN = new Error('The client_id is taken.');

type Stored = {
  fileId: string;
  prefix: string;
  key: string;
  size: number;
  name: string;
  access: Access;
  webp: boolean;
  /** What is stored of the upload for its `client_id`; undefined where it has none. */
  session: { owner: UploadOwner; sha256: string } | undefined;
};

/**
 * Reads the form of an image upload, which has the fields `access`, `webp` and `client_id`, then `file`.
 * Returns the new file, which waits to be processed, or the one that the same image under the same
 * `client_id` has become before. Throws AppError, conflict where that was another image, and then nothing
 * of the upload stays stored.
 */
export async function uploadImage(deps: Deps, caller: Caller, request: Request): Promise<FileWire> {
  const { bucket } = caller;
  const received: Stored[] = [];
  let earlier: FileWire | undefined;
  try {
    await readMultipart(request, {
      maxBytes: IMAGE_MAX_BYTES,
      caller,
      tooLarge: tooLargeForImage(bucket.id),
      async onFile(part) {
        if (part.field !== 'file') throw badRequest('Send the image in the file field.');
        if (earlier || received.length > 0) throw badRequest('Send one file per request.');
        const owner = ownerOf(caller, part);
        earlier = owner && (await findEarlierImage(deps, owner, part.body));
        const length = contentLength(request);
        if (!earlier) received.push(await storeImage(deps, bucket, owner, part, length));
      },
    });
    if (earlier) return earlier;
    const [stored] = received;
    if (!stored) throw badRequest('No file provided.', 'no-file');
    return await completeImage(deps, bucket, stored);
  } catch (error) {
    // With the database unavailable, the file may exist nevertheless: the pending delete then
    // decides.
    if (!isUnavailable(error)) for (const { prefix } of received) await discard(deps, prefix);
    throw error;
  }
}

const ownerOf = ({ bucket, uploader }: Caller, { fields }: FilePart): UploadOwner | undefined =>
  fields.get('client_id')
    ? { bucketId: bucket.id, uploader, clientId: parseClientId(fields) }
    : undefined;

/** Creates the file of a stored image, unless another request has done so under the same `client_id`. */
async function completeImage(deps: Deps, bucket: Bucket, stored: Stored): Promise<FileWire> {
  const { database, clock, files } = deps;
  const { fileId, name, size, access, prefix, key, webp, session } = stored;
  const content = { type: 'image', key, webp } as const;
  const expired = () => conflict('The upload took too long. Try again.');
  const upload = { fileId, bucket, name, size, access, prefix, content, expired };
  const { file, statements } = files.fromUpload(upload);
  const onTaken = { now: clock(), otherwise: () => TAKEN };
  const insertions = session
    ? imageInsertions(database.db, { ...stored, ...session }, onTaken)
    : [];
  try {
    await database.batch([...insertions, ...statements]);
  } catch (error) {
    if (error !== TAKEN || !session) throw error;
    const earlier = await earlierImage(deps, session.owner, { size, sha256: session.sha256 });
    await discard(deps, prefix);
    return earlier;
  }
  files.announceCreated(file, bucket);
  return file;
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
  length: number | null,
): Promise<Stored> {
  const { objects, clock, regionRouter, buckets } = deps;
  const access = parseAccess(part.fields);
  const webp = parseYes(part.fields, 'webp');
  const hashed = owner && { owner, ...hashBody(part.body) };
  const { head, body } = await peekStream(hashed?.body ?? part.body, SNIFF_BYTES);
  if (head.byteLength === 0) throw withoutBytes(part, 'No file provided.');
  await requireImage(head, bucket.id);
  const fileId = newId(clock());
  const prefix = originalPrefix(regionRouter(bucket.region).root, bucket.id, fileId);
  const key = `${prefix}original`;
  const bytes = Math.min(length ?? FIRST_RESERVATION_BYTES, IMAGE_MAX_BYTES);
  const reservation = { prefix, bytes, deleteAt: clock() + FORM_TIMEOUT_MS };
  await reserveUpload(deps, bucket.user_id, reservation);
  try {
    const reserve = reserveArriving(buckets.quotas, prefix, { reserved: bytes });
    const counted = length === null ? reservingStream(body, reserve) : body;
    const limits = { maxBytes: IMAGE_MAX_BYTES, owner: bucket.user_id };
    const { size } = await objects.put(key, counted, limits);
    const name = keptName(part.fileName, 'image');
    const session = hashed && { owner: hashed.owner, sha256: hashed.sha256() };
    return { fileId, prefix, key, size, name, access, webp, session };
  } catch (error) {
    await discard(deps, prefix);
    throw error;
  }
}

/** Makes the pending delete due, and ends the reservation. */
async function discard({ database, clock }: Deps, prefix: string): Promise<void> {
  await scheduleDelete(database.db, prefix, clock());
}
