import { HOUR, IMAGE_MAX_BYTES } from '../../contract/limits.ts';
import type { FileWire } from '../../contract/wire.ts';
import { badRequest, conflict, isAway } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import { newId } from '../../platform/ids.ts';
import { doom, spare } from '../../platform/objects/doomed.ts';
import type { ObjectStore } from '../../platform/objects/port.ts';
import type { Places } from '../../platform/places.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { Bucket } from '../buckets/service.ts';
import { type Files, keptName, originalPrefix, slugOf } from '../files/service.ts';
import { accessOf, yesOf } from './fields.ts';
import { type FilePart, readMultipart } from './multipart.ts';
import { peek } from './peek.ts';
import { looksLikeImage, SNIFF_BYTES } from './sniff.ts';
import { notAnImage, tooLargeForImage } from './wrong-call.ts';

type Services = {
  database: Database;
  objects: ObjectStore;
  clock: Clock;
  queue: Queue;
  files: Files;
  places: Places;
};

type Stored = {
  id: string;
  prefix: string;
  key: string;
  size: number;
  name: string;
  fields: ReadonlyMap<string, string>;
};

/**
 * Takes the form of an image upload: fields `access` and `webp`, then `file`. Answers the file,
 * which waits for its job. Whatever is wrong, nothing stays. Throws AppError.
 */
export async function uploadImage(
  services: Services,
  bucket: Bucket,
  request: Request,
): Promise<FileWire> {
  const { database, clock, queue, files } = services;
  const received: Stored[] = [];
  try {
    await readMultipart(request, {
      maxBytes: IMAGE_MAX_BYTES,
      tooLarge: tooLargeForImage(bucket.id),
      async onFile(part) {
        if (part.field !== 'file') throw badRequest('Send the image as the field file.');
        if (received.length > 0) throw badRequest('Send one file at a time.');
        received.push(await storeImage(services, bucket, part));
      },
    });
    const [stored] = received;
    if (!stored) throw badRequest('No file provided.', 'no-file');
    const access = accessOf(stored.fields);
    const webp = yesOf(stored.fields, 'webp');
    const file = await database.transaction(async (tx) => {
      if (!(await spare(tx, stored.prefix))) throw conflict('The upload took too long. Try again.');
      await files.addImage(tx, stored.id, {
        bucketId: bucket.id,
        userId: bucket.user_id,
        sourcePrefix: stored.prefix,
        keepSource: webp,
        source: stored.key,
        baseName: slugOf(stored.name, 'image'),
        webp,
      });
      return files.add(tx, {
        id: stored.id,
        bucketId: bucket.id,
        name: stored.name,
        size: stored.size,
        fileType: 'image',
        access,
        sourcePrefix: stored.prefix,
        createdAt: clock(),
      });
    });
    queue.wake();
    return file;
  } catch (error) {
    // Where the database went away the file may be there all the same: then the sweep decides.
    if (!isAway(error)) for (const { prefix } of received) await discard(services, prefix);
    throw error;
  }
}

async function storeImage(services: Services, bucket: Bucket, part: FilePart): Promise<Stored> {
  const { database, objects, clock, places } = services;
  accessOf(part.fields);
  yesOf(part.fields, 'webp');
  const { head, whole } = await peek(part.body, SNIFF_BYTES);
  if (head.byteLength === 0) throw badRequest('No file provided.', 'no-file');
  if (!(await looksLikeImage(head))) throw await notAnImage(head, bucket.id);
  const id = newId(clock());
  const prefix = originalPrefix(places(bucket.region).root, bucket.id, id);
  const key = `${prefix}original`;
  await doom(database.db, prefix, clock() + HOUR);
  try {
    const { size } = await objects.put(key, whole, { maxBytes: IMAGE_MAX_BYTES });
    const name = keptName(part.fileName, 'image');
    return { id, prefix, key, size, name, fields: part.fields };
  } catch (error) {
    await discard(services, prefix);
    throw error;
  }
}

/** The mark stays until the objects are gone, so that a crash in between changes nothing. */
async function discard({ database, objects }: Services, prefix: string): Promise<void> {
  await objects.deletePrefix(prefix);
  await spare(database.db, prefix);
}
