import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3';
import { DAY } from '../../../contract/limits.ts';
import { isSegment } from '../keys.ts';
import type { S3Bucket } from './client.ts';
import { isMissing, toStorageError } from './errors.ts';

const DELETE_CONCURRENCY = 8;
/** The most that S3 lists in one response. */
const PAGE_SIZE = 1000;

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

/** Deletes the objects below a prefix one by one, because not every server can delete many in one request. */
export async function deleteBelow(bucket: S3Bucket, prefix: string): Promise<void> {
  for await (const page of listPages(bucket, prefix)) {
    for (let from = 0; from < page.length; from += DELETE_CONCURRENCY) {
      const group = page.slice(from, from + DELETE_CONCURRENCY);
      await Promise.all(group.map(({ key }) => deleteObject(bucket, key)));
    }
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
