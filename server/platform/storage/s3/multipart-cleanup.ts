import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
} from '@aws-sdk/client-s3';
import { DAY } from '../../../contract/limits.ts';
import type { S3Bucket } from './client.ts';
import { toStorageError } from './errors.ts';

export type OpenMultipart = { key: string; id: string; since: number };

/** Multiparts that were begun and neither completed nor aborted. They take up space that no listing tells of. */
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

/** Those older than a day: no put takes that long, so whoever began them is gone. */
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
