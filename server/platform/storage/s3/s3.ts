import { constants } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
} from '@aws-sdk/client-s3';
import { concatenate } from '../concatenate.ts';
import { checkKey, checkPrefix } from '../keys.ts';
import type { LinkHeaders, ObjectBytes, ObjectStore, StoredObject } from '../port.ts';
import { bodyOf } from './body.ts';
import { describeS3, type S3Bucket, type S3Settings, s3Bucket } from './client.ts';
import { composeInStorage, copyInStorage } from './compose.ts';
import { isMissing, reasonOf, toStorageError } from './errors.ts';
import {
  abortMultipart,
  deleteBelow,
  deleteMany,
  deleteObject,
  listAbandonedMultiparts,
  listPages,
} from './list-and-delete.ts';
import { upload } from './put.ts';

/**
 * Opens a store of objects in a bucket. It only needs what the S3 servers of Swift and Garage offer too: no
 * conditional puts, and no deletion of many objects in one request where the server refuses it. Any number
 * of processes can share the bucket.
 */
export function openS3Store(settings: S3Settings): ObjectStore {
  const bucket = s3Bucket(settings);
  const { root } = bucket;
  const reader = readingOf(bucket);
  return {
    async put(key, body, limits) {
      return upload(bucket, root + checkKey(key), body, limits);
    },

    async putFile(key, path) {
      return moveFile(bucket, root + checkKey(key), path);
    },

    async compose(key, sources) {
      const target = root + checkKey(key);
      const within = sources.map(({ key: source, size }) => ({
        key: root + checkKey(source),
        size,
      }));
      const size = sources.reduce((sum, source) => sum + source.size, 0);
      if (await composeInStorage(bucket, target, within)) return { size };
      return upload(bucket, target, concatenate(reader, sources), { expected: size });
    },

    async copy(key, { key: source, size }) {
      const target = root + checkKey(key);
      await copyInStorage(bucket, target, { key: root + checkKey(source), size });
      return { size };
    },

    ...reader,

    async *list(prefix) {
      for await (const page of listPages(bucket, prefix && checkPrefix(prefix))) yield* page;
    },

    async delete(key) {
      await deleteObject(bucket, checkKey(key));
    },

    async deleteMany(keys) {
      await deleteMany(bucket, keys.map(checkKey));
    },

    async deletePrefix(prefix, isOver = () => false) {
      return deleteBelow(bucket, checkPrefix(prefix), isOver);
    },

    async tidy(now) {
      for await (const one of listAbandonedMultiparts(bucket, now))
        await abortMultipart(bucket, one);
    },

    async requireSpace() {
      // S3 doesn't tell how much it can take.
    },

    check: () => checkWritable(bucket),
  };
}

/** Uploads a local file and removes it. */
async function moveFile(bucket: S3Bucket, target: string, path: string) {
  // A symbolic link is refused, because a compromised decoder could point it anywhere.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error(`Not a file: ${path}`);
    const bytes = Readable.toWeb(file.createReadStream({ autoClose: false }));
    const body = bytes as unknown as ReadableStream<Uint8Array>;
    const stored = await upload(bucket, target, body, { expected: stats.size });
    await unlink(path);
    return stored;
  } finally {
    await file.close();
  }
}

/**
 * Starts and aborts a multipart upload: that needs the permission to write, and leaves nothing visible even
 * when it fails halfway.
 */
async function checkWritable(bucket: S3Bucket): Promise<void> {
  const { reading, name, root } = bucket;
  const key = `${root}check`;
  const command = new CreateMultipartUploadCommand({ Bucket: name, Key: key });
  const { UploadId = '' } = await toStorageError(reading.send(command));
  await abortMultipart(bucket, { key, id: UploadId });
}

/** Opens the same objects for reading only. `leftovers` yields multipart uploads that nobody will complete. */
export function openS3ForReading(settings: S3Settings) {
  const bucket = s3Bucket(settings);
  return {
    ...readingOf(bucket),
    async *list(prefix: string) {
      for await (const page of listPages(bucket, prefix && checkPrefix(prefix))) yield* page;
    },
    async *leftovers(now: number) {
      for await (const { key, id } of listAbandonedMultiparts(bucket, now)) {
        yield `${describeS3(settings)}: ${key}?uploadId=${id}`;
      }
    },
  };
}

/** Throws an Error that tells the operator why a bucket can't be used. */
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

function readingOf(bucket: S3Bucket): Pick<ObjectStore, 'head' | 'open'> {
  return {
    async head(key) {
      const found = await headObject(bucket, key);
      return found && { size: found.size, modifiedAt: found.modifiedAt };
    },
    open: (async (key: string, known?: { size: number }) =>
      known ? openKnown(bucket, key, known.size) : openObject(bucket, key)) as ObjectStore['open'],
  };
}

async function headObject(bucket: S3Bucket, key: string) {
  const command = new HeadObjectCommand({ Bucket: bucket.name, Key: bucket.root + checkKey(key) });
  const head = await toStorageError(
    bucket.reading.send(command).catch((error) => {
      if (isMissing(error)) return null;
      throw error;
    }),
  );
  if (!head) return null;
  const { ContentLength: size = 0, LastModified, ETag: etag = '' } = head;
  return { size, modifiedAt: LastModified?.getTime() ?? 0, etag };
}

async function openObject(bucket: S3Bucket, key: string): Promise<StoredObject | null> {
  const target = bucket.root + checkKey(key);
  const head = await headObject(bucket, key);
  if (!head) return null;
  const { size, modifiedAt, etag } = head;
  const object = { key: target, size, etag };
  return {
    size,
    modifiedAt,
    body: (range = { start: 0, end: size }) => bodyOf(bucket, object, range),
    link: (seconds, headers) => createPresignedUrl(bucket, target, seconds, headers),
  };
}

/** Opens an object without a request; its body is requested by the first read. */
function openKnown(bucket: S3Bucket, key: string, size: number): ObjectBytes {
  const object = { key: bucket.root + checkKey(key), size, etag: null };
  return { size, body: (range = { start: 0, end: size }) => bodyOf(bucket, object, range) };
}

/** Returns a presigned URL of an object. `key` is the whole key in the bucket. */
async function createPresignedUrl(
  { reading, name }: S3Bucket,
  key: string,
  seconds: number,
  { contentType, contentDisposition, cacheControl }: LinkHeaders,
): Promise<string> {
  // The library is loaded with the first link, because few servers make any.
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
