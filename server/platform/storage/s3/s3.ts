import { constants } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { Readable } from 'node:stream';
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
} from '@aws-sdk/client-s3';
import { MIB } from '../../../contract/limits.ts';
import { createSlots } from '../../slots.ts';
import { checkKey, checkPrefix } from '../keys.ts';
import type { LinkAnswer, ObjectStore, StoredObject } from '../port.ts';
import { bodyOf } from './body.ts';
import { describeS3, type S3Bucket, type S3Settings, s3Bucket } from './client.ts';
import { isMissing, reasonOf, toStorageError } from './errors.ts';
import {
  abortMultipart,
  listAbandonedMultiparts,
  pagesBelow,
  remove,
  removeBelow,
} from './list-and-delete.ts';
import { upload } from './put.ts';

/** What one upload may hold: a part that is sent, one that is gathered, one read ahead. */
const BYTES_PER_REQUEST = 16 * MIB;

/**
 * Objects in a bucket of an S3 server, of which only what Swift's and Garage's have too is used:
 * no conditional puts, no deleting of many at once. Any number of processes may share it.
 */
export function openS3Store(settings: S3Settings): ObjectStore {
  const bucket = s3Bucket(settings);
  const { root } = bucket;
  const inTurn = createSlots(
    limitConcurrency(),
    'Too many uploads at once. Try again in a moment.',
  );

  return {
    async put(key, body, limits) {
      const target = root + checkKey(key);
      try {
        return await inTurn(() => upload(bucket, target, body, limits));
      } catch (error) {
        // Where no place came free nobody has read a byte of it.
        if (!body.locked) void body.cancel(error).catch(() => {});
        throw error;
      }
    },

    async putFile(key, path) {
      return moveFile(bucket, root + checkKey(key), path);
    },

    open: (key) => openObject(bucket, key),

    async *list(prefix) {
      for await (const page of pagesBelow(bucket, prefix && checkPrefix(prefix))) yield* page;
    },

    async delete(key) {
      await remove(bucket, checkKey(key));
    },

    async deletePrefix(prefix) {
      await removeBelow(bucket, checkPrefix(prefix));
    },

    async tidy(now) {
      for await (const one of listAbandonedMultiparts(bucket, now))
        await abortMultipart(bucket, one);
    },

    check: () => checkWritable(bucket),
  };
}

/** Puts a local file into the bucket and removes it. */
async function moveFile(bucket: S3Bucket, target: string, path: string) {
  // A link is refused: a decoder that was taken over could point it anywhere.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error(`Not a file: ${path}`);
    const bytes = Readable.toWeb(file.createReadStream({ autoClose: false }));
    const body = bytes as unknown as ReadableStream<Uint8Array>;
    const stored = await upload(bucket, target, body, { expected: found.size });
    await unlink(path);
    return stored;
  } finally {
    await file.close();
  }
}

/** Needs the right to write, and shows nothing, however it ends. */
async function checkWritable(bucket: S3Bucket): Promise<void> {
  const { reading, name, root } = bucket;
  const key = `${root}check`;
  const command = new CreateMultipartUploadCommand({ Bucket: name, Key: key });
  const { UploadId = '' } = await toStorageError(reading.send(command));
  await abortMultipart(bucket, { key, id: UploadId });
}

/** The same objects for one who only looks. `leftovers` names multiparts that nobody will complete. */
export function openS3ForReading(settings: S3Settings) {
  const bucket = s3Bucket(settings);
  return {
    open: (key: string) => openObject(bucket, key),
    async *list(prefix: string) {
      for await (const page of pagesBelow(bucket, prefix && checkPrefix(prefix))) yield* page;
    },
    async *leftovers(now: number) {
      for await (const { key, id } of listAbandonedMultiparts(bucket, now)) {
        yield `${describeS3(settings)}: ${key}?uploadId=${id}`;
      }
    },
  };
}

/** Throws an Error that tells who runs the server why the bucket can't be used. */
export async function reachS3(settings: S3Settings): Promise<void> {
  const { reading, name } = s3Bucket(settings);
  try {
    await reading.send(new HeadBucketCommand({ Bucket: name }));
  } catch (error) {
    throw new Error(`Can't reach ${describeS3(settings)}: ${reasonOf(error)}.`);
  } finally {
    reading.destroy();
  }
}

async function openObject(bucket: S3Bucket, key: string): Promise<StoredObject | null> {
  const target = bucket.root + checkKey(key);
  const command = new HeadObjectCommand({ Bucket: bucket.name, Key: target });
  const head = await toStorageError(
    bucket.reading.send(command).catch((error) => {
      if (isMissing(error)) return null;
      throw error;
    }),
  );
  if (!head) return null;
  const { ContentLength: size = 0, LastModified, ETag: etag = '' } = head;
  const object = { key: target, size, etag };
  return {
    size,
    modifiedAt: LastModified?.getTime() ?? 0,
    body: (range = { start: 0, end: size }) => bodyOf(bucket, object, range),
    link: (seconds, answer) => createPresignedUrl(bucket, target, seconds, answer),
    // Of the bytes, or of the parts', which all puts cut alike.
    hash: async () => etag.replace(/[^\w-]/g, ''),
  };
}

/** How many uploads may hold their parts at once: a quarter of the memory for all of them. */
function limitConcurrency(): number {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(
    256,
    Math.max(8, Math.floor(Math.min(limit, totalmem()) / 4 / BYTES_PER_REQUEST)),
  );
}

/** A signed address of an object, for anybody who has it. `key` is the whole key in the bucket. */
async function createPresignedUrl(
  { reading, name }: S3Bucket,
  key: string,
  seconds: number,
  { contentType, contentDisposition, cacheControl }: LinkAnswer,
): Promise<string> {
  // Loaded with the first link: few servers make any.
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const command = new GetObjectCommand({
    Bucket: name,
    Key: key,
    ResponseContentType: contentType,
    ResponseContentDisposition: contentDisposition,
    ResponseCacheControl: cacheControl,
  });
  return getSignedUrl(reading, command, { expiresIn: seconds });
}
