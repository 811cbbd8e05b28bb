import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { MIB } from '../../../contract/limits.ts';
import { notFound } from '../../../errors.ts';
import { forEachConcurrent } from '../../concurrency.ts';
import type { SourceObject } from '../port.ts';
import type { S3Bucket } from './client.ts';
import { isMissing, isUnsupported, translateErrors } from './errors.ts';
import { abortMultipart } from './list-and-delete.ts';
import { isStored, MAX_PARTS, MIN_PART_BYTES } from './put.ts';

/**
 * S3 copies up to 5 GiB in a request, but responds only at the end, and a server that copies byte by byte
 * must be done before the request times out.
 */
const MAX_COPY_BYTES = 512 * MIB;
const COPY_CONCURRENCY = 4;

/** Buckets of servers that can't copy an object into a part of another one. */
const withoutPartCopies = new WeakSet<S3Bucket>();

type Part = { number: number; source: string; range: string | null };

/**
 * Stores the bytes of objects under one key without sending them through this process. Returns false where
 * the server can't: it can't copy objects below 5 MiB but for the last one, or into parts at all. Throws as
 * `ObjectStore.compose` does. The keys are whole keys in the bucket.
 */
export async function composeInStorage(
  bucket: S3Bucket,
  key: string,
  sources: SourceObject[],
): Promise<boolean> {
  const parts = partsOf(bucket, sources);
  const isPossible =
    sources.length > 0 &&
    sources.slice(0, -1).every(({ size }) => size >= MIN_PART_BYTES) &&
    (sources.at(-1)?.size ?? 0) > 0 &&
    parts.length <= MAX_PARTS;
  if (!isPossible || withoutPartCopies.has(bucket)) return false;
  try {
    await copyParts(bucket, key, parts);
  } catch (error) {
    if (isUnsupported(error)) {
      withoutPartCopies.add(bucket);
      return false;
    }
    // The response to completing the upload was lost, and the retry found nothing left to complete.
    const size = sources.reduce((sum, source) => sum + source.size, 0);
    if (!(await isStored(bucket, key, size, error))) throw toCopyError(error);
  }
  return true;
}

/** Copies an object in the bucket. Throws as `ObjectStore.copy` does. The keys are whole keys in the bucket. */
export async function copyInStorage(
  bucket: S3Bucket,
  key: string,
  source: SourceObject,
): Promise<void> {
  if (source.size > MAX_COPY_BYTES && (await composeInStorage(bucket, key, [source]))) return;
  const { writing, name } = bucket;
  const CopySource = copySourceOf(bucket, source.key);
  try {
    await writing.send(new CopyObjectCommand({ Bucket: name, Key: key, CopySource }));
  } catch (error) {
    throw toCopyError(error);
  }
}

const toCopyError = (error: unknown) =>
  isMissing(error) ? notFound('File') : translateErrors(error);

const copySourceOf = ({ name }: S3Bucket, key: string): string =>
  `${name}/${key.split('/').map(encodeURIComponent).join('/')}`;

/** Returns the parts of the new object. A large source is several parts of about the same size. */
function partsOf(bucket: S3Bucket, sources: SourceObject[]): Part[] {
  const pieces = sources.flatMap(({ key, size }) => {
    const source = copySourceOf(bucket, key);
    const count = Math.max(1, Math.ceil(size / MAX_COPY_BYTES));
    const length = Math.ceil(size / count);
    return Array.from({ length: count }, (_, index) => {
      const end = Math.min(size, (index + 1) * length);
      // S3 refuses a range of a small object, also where the range is all of it.
      return { source, range: count === 1 ? null : `bytes=${index * length}-${end - 1}` };
    });
  });
  return pieces.map((piece, index) => ({ ...piece, number: index + 1 }));
}

async function copyParts(bucket: S3Bucket, key: string, parts: Part[]): Promise<void> {
  const { writing, name } = bucket;
  const target = { Bucket: name, Key: key };
  const { UploadId = '' } = await writing.send(new CreateMultipartUploadCommand(target));
  const upload = { ...target, UploadId };
  try {
    const etags = new Map<number, string | undefined>();
    await forEachConcurrent(parts, COPY_CONCURRENCY, async ({ number, source, range }) => {
      const copy = { ...upload, PartNumber: number, CopySource: source };
      const command = new UploadPartCopyCommand({
        ...copy,
        ...(range && { CopySourceRange: range }),
      });
      etags.set(number, (await writing.send(command)).CopyPartResult?.ETag);
    });
    const Parts = parts.map(({ number }) => ({ PartNumber: number, ETag: etags.get(number) }));
    await writing.send(
      new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }),
    );
  } catch (error) {
    // Where the server is unavailable, `listAbandonedMultiparts` finds the upload later.
    await abortMultipart(bucket, { key, id: UploadId }).catch(() => {});
    throw error;
  }
}
