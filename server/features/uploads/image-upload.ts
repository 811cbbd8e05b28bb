import { HOUR, IMAGE_MAX_BYTES } from '../../contract/limits.ts';
import type { Access, FileWire } from '../../contract/wire.ts';
import { badRequest, conflict, isUnavailable } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import { newId } from '../../platform/ids.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { RegionRouter } from '../../platform/region-routing.ts';
import { scheduleDelete } from '../../platform/storage/pending-deletes-store.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import type { Bucket, Buckets } from '../buckets/service.ts';
import { type Files, keptName, originalPrefix } from '../files/service.ts';
import type { Caller } from '../tokens/guard.ts';
import { parseAccess, parseYes } from './parsing/form-fields.ts';
import { contentLength, type FilePart, readMultipart } from './parsing/multipart.ts';
import {
  looksLikeImage,
  notAnImage,
  peekStream,
  SNIFF_BYTES,
  tooLargeForImage,
} from './parsing/sniff.ts';

type Services = {
  database: Database;
  objects: ObjectStore;
  clock: Clock;
  queue: Queue;
  buckets: Pick<Buckets, 'quotas'>;
  files: Files;
  regionRouter: RegionRouter;
};

type Stored = {
  fileId: string;
  prefix: string;
  key: string;
  size: number;
  name: string;
  access: Access;
  webp: boolean;
};

/**
 * Reads the form of an image upload, which has the fields `access` and `webp`, then `file`. Returns
 * the new file, which waits to be processed. Throws AppError, and then nothing of the upload stays
 * stored.
 */
export async function uploadImage(
  services: Services,
  caller: Caller,
  request: Request,
): Promise<FileWire> {
  const { database, queue, files } = services;
  const { bucket } = caller;
  const received: Stored[] = [];
  const maxBytes = Math.min(contentLength(request) ?? IMAGE_MAX_BYTES, IMAGE_MAX_BYTES);
  try {
    await readMultipart(request, {
      maxBytes: IMAGE_MAX_BYTES,
      caller,
      tooLarge: tooLargeForImage(bucket.id),
      async onFile(part) {
        if (part.field !== 'file') throw badRequest('Send the image in the file field.');
        if (received.length > 0) throw badRequest('Send one file per request.');
        received.push(await storeImage(services, bucket, part, maxBytes));
      },
    });
    const [stored] = received;
    if (!stored) throw badRequest('No file provided.', 'no-file');
    const file = await database.transaction((tx) => {
      const { fileId, name, size, access, prefix, key, webp } = stored;
      const content = { type: 'image', key, webp } as const;
      const expired = () => conflict('The upload took too long. Try again.');
      const upload = { fileId, bucket, name, size, access, prefix, content, expired };
      return files.createFromUpload(tx, upload);
    });
    queue.wake('image');
    return file;
  } catch (error) {
    // With the database unavailable, the file may exist nevertheless: the pending delete then
    // decides.
    if (!isUnavailable(error)) for (const { prefix } of received) await discard(services, prefix);
    throw error;
  }
}

/** Stores an image of at most `maxBytes`, which are reserved before they arrive. */
async function storeImage(
  services: Services,
  bucket: Bucket,
  part: FilePart,
  maxBytes: number,
): Promise<Stored> {
  const { database, objects, clock, regionRouter, buckets } = services;
  const access = parseAccess(part.fields);
  const webp = parseYes(part.fields, 'webp');
  const { head, body } = await peekStream(part.body, SNIFF_BYTES);
  if (head.byteLength === 0) throw badRequest('No file provided.', 'no-file');
  if (!(await looksLikeImage(head))) throw await notAnImage(head, bucket.id);
  const fileId = newId(clock());
  const prefix = originalPrefix(regionRouter(bucket.region).root, bucket.id, fileId);
  const key = `${prefix}original`;
  const reservation = { prefix, bytes: maxBytes, deleteAt: clock() + HOUR };
  await objects.requireSpace(prefix, maxBytes);
  await database.transaction((tx) => buckets.quotas.reserve(tx, bucket.user_id, reservation));
  try {
    const { size } = await objects.put(key, body, {
      maxBytes: IMAGE_MAX_BYTES,
      owner: bucket.user_id,
    });
    const name = keptName(part.fileName, 'image');
    return { fileId, prefix, key, size, name, access, webp };
  } catch (error) {
    await discard(services, prefix);
    throw error;
  }
}

/** Makes the pending delete due, and ends the reservation. */
async function discard({ database, clock }: Services, prefix: string): Promise<void> {
  await scheduleDelete(database.db, prefix, clock());
}
