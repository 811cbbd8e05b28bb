import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3';
import { DAY } from '../../../contract/limits.ts';
import { forEachConcurrent } from '../../concurrency.ts';
import { isSegment } from '../keys.ts';
import type { S3Bucket } from './client.ts';
import { isMissing, isTransient, toStorageError, translateErrors } from './errors.ts';

const DELETE_CONCURRENCY = 8;
/** How many requests for a page of objects each are sent at the same time. */
const DELETE_PAGE_CONCURRENCY = 4;
/** The most that S3 lists in one response. */
const PAGE_SIZE = 1000;
/** S3 deletes 1,000 with one request, but reading and writing so much XML occupies the process for 60 ms. */
const DELETE_PAGE_SIZE = 400;

/**
 * Yields the objects below a prefix, page by page. Other programs may use the bucket too, so keys that the
 * store can't have put there are left out.
 */
export async function* listPages(
  { reading, name, root }: S3Bucket,
  prefix: string,
  pageSize: number = PAGE_SIZE,
): AsyncGenerator<{ key: string; size: number }[]> {
  let token: string | undefined;
  do {
    const page = await toStorageError(
      reading.send(
        new ListObjectsV2Command({
          Bucket: name,
          Prefix: root + prefix,
          MaxKeys: pageSize,
          ...(token && { ContinuationToken: token }),
        }),
      ),
    );
    yield (page.Contents ?? []).flatMap(({ Key = '', Size = 0 }) => {
      const key = Key.slice(root.length);
      return key.split('/').every(isSegment) ? [{ key, size: Size }] : [];
    });
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token);
}

export async function deleteObject({ writing, name, root }: S3Bucket, key: string): Promise<void> {
  const command = new DeleteObjectCommand({ Bucket: name, Key: root + key });
  await toStorageError(
    writing.send(command).catch((error) => {
      if (!isMissing(error)) throw error;
    }),
  );
}

/** Buckets of servers that refuse to delete several objects with one request. */
const singleDeletesOnly = new WeakSet<S3Bucket>();

/**
 * Deletes the objects below a prefix, page by page, until `isOver` returns true. Returns whether all of
 * them are deleted.
 */
export async function deleteBelow(
  bucket: S3Bucket,
  prefix: string,
  isOver: () => boolean,
): Promise<boolean> {
  let isDone = true;
  async function* pages() {
    for await (const page of listPages(bucket, prefix, DELETE_PAGE_SIZE)) {
      if (page.length > 0) yield page.map(({ key }) => key);
      isDone = !isOver();
      if (!isDone) return;
    }
  }
  await forEachConcurrent(pages(), DELETE_PAGE_CONCURRENCY, (keys) => deleteObjects(bucket, keys));
  return isDone;
}

/** Deletes objects, 400 with a request. */
export async function deleteMany(bucket: S3Bucket, keys: string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += DELETE_PAGE_SIZE)
    await deleteObjects(bucket, keys.slice(from, from + DELETE_PAGE_SIZE));
}

async function deleteObjects(bucket: S3Bucket, keys: string[]): Promise<void> {
  const remaining = singleDeletesOnly.has(bucket) ? keys : await deleteTogether(bucket, keys);
  await forEachConcurrent(remaining, DELETE_CONCURRENCY, (key) => deleteObject(bucket, key));
}

/** Deletes the objects of a page with one request. Returns the keys of those that it did not delete. */
async function deleteTogether(bucket: S3Bucket, keys: string[]): Promise<string[]> {
  const { writing, name, root } = bucket;
  const Objects = keys.map((key) => ({ Key: root + key }));
  const command = new DeleteObjectsCommand({ Bucket: name, Delete: { Objects, Quiet: true } });
  // Older servers require this checksum for this request, and the library only sends a newer one.
  command.middlewareStack.add(
    (next) => async (args) => {
      const { headers, body } = args.request as { headers: Record<string, string>; body: string };
      headers['content-md5'] = createHash('md5').update(body).digest('base64');
      return next(args);
    },
    { step: 'build' },
  );
  try {
    const { Errors = [] } = await writing.send(command);
    return Errors.flatMap(({ Key }) => Key?.slice(root.length) ?? []);
  } catch (error) {
    if (isTransient(error)) throw translateErrors(error);
    singleDeletesOnly.add(bucket);
    return keys;
  }
}

type OpenMultipart = { key: string; id: string; since: number };

/**
 * Yields the multipart uploads that were neither completed nor aborted. They take up space that no listing
 * shows.
 */
export async function* listOpenMultiparts({
  reading,
  name,
  root,
}: S3Bucket): AsyncGenerator<OpenMultipart> {
  let page: ListMultipartUploadsCommandOutput | undefined;
  do {
    const command = new ListMultipartUploadsCommand({
      Bucket: name,
      Prefix: root,
      ...(page?.NextKeyMarker && { KeyMarker: page.NextKeyMarker }),
      ...(page?.NextUploadIdMarker && { UploadIdMarker: page.NextUploadIdMarker }),
    });
    page = await toStorageError(reading.send(command));
    for (const { Key = '', UploadId = '', Initiated } of page.Uploads ?? []) {
      yield { key: Key, id: UploadId, since: Initiated?.getTime() ?? 0 };
    }
  } while (page.IsTruncated);
}

/**
 * Yields the multipart uploads that are older than a day. No put takes that long, so the process that
 * started them has died.
 */
export async function* listAbandonedMultiparts(
  bucket: S3Bucket,
  now: number,
): AsyncGenerator<OpenMultipart> {
  for await (const one of listOpenMultiparts(bucket)) if (now - one.since > DAY) yield one;
}

export async function abortMultipart(
  { writing, name }: S3Bucket,
  { key, id }: Pick<OpenMultipart, 'key' | 'id'>,
): Promise<void> {
  const command = new AbortMultipartUploadCommand({ Bucket: name, Key: key, UploadId: id });
  await toStorageError(
    writing.send(command).catch((error) => {
      if (error?.name !== 'NoSuchUpload') throw error;
    }),
  );
}
