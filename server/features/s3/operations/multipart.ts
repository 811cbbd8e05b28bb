import { AppError } from '../../../errors.ts';
import { isId } from '../../../platform/ids.ts';
import { uploaderName } from '../../access/principal.ts';
import type { MultipartUpload } from '../../uploads/service.ts';
import type { ObjectContext } from '../context.ts';
import { emptyResponse, xmlResponse } from '../context.ts';
import { S3Error } from '../errors.ts';
import type { S3Response } from '../request.ts';
import { writeXml } from '../xml/write.ts';
import { isFolderKey, requireKey } from './keys.ts';
import { parseStoredFields, type StoredFields } from './object-headers.ts';
import { type ChecksumPlan, parseChecksumPlan, planHeaders } from './parts/multipart-checksum.ts';

/** As in S3. */
export const MAX_PARTS = 10_000;

const noSuchUpload = (uploadId: string) =>
  new S3Error('NoSuchUpload', 'The upload does not exist. It may have been aborted or completed.', {
    UploadId: uploadId,
  });

/** Starts an upload in parts. */
export async function createMultipartUpload(context: ObjectContext): Promise<S3Response> {
  const { deps, request, bucket, bucketName, key, caller } = context;
  requireKey(key);
  if (isFolderKey(key)) {
    throw new S3Error('InvalidRequest', 'A key that ends in a slash is a folder on this server.');
  }
  const checksum = parseChecksumPlan(request.headers);
  const replaced = (await deps.files.objectAt(bucket.id, key))?.id ?? null;
  const fields: UploadFields = { ...parseStoredFields(request.headers), checksum, replaced };
  const uploadId = await deps.uploads.multipart.create(bucket, {
    path: key,
    uploader: uploaderName(caller.principal),
    metadata: JSON.stringify(fields),
  });
  return xmlResponse(
    writeXml('InitiateMultipartUploadResult', [
      ['Bucket', bucketName],
      ['Key', key],
      ['UploadId', uploadId],
    ]),
    200,
    planHeaders(checksum),
  );
}

/**
 * What an upload becomes, beside its bytes, and the id of the file that was at its key when it began; null for none. Those
 * that an earlier version has started say nothing of a checksum and of this file.
 */
type UploadFields = StoredFields & { checksum?: ChecksumPlan | null; replaced?: string | null };

/** Returns what an upload becomes, and what was at its key when it began; undefined where that is unknown. */
export function fieldsOf({ metadata }: Pick<MultipartUpload, 'metadata'>): {
  fields: StoredFields;
  plan: ChecksumPlan | null;
  replaced: string | null | undefined;
} {
  const { checksum: plan = null, replaced, ...fields } = JSON.parse(metadata) as UploadFields;
  return { fields, plan, replaced };
}

/** Returns the upload that a request is about. Throws NoSuchUpload. */
export async function findUpload({
  deps,
  query,
  bucket,
  key,
}: ObjectContext): Promise<MultipartUpload> {
  const uploadId = query.get('uploadId') ?? '';
  const upload = isId(uploadId)
    ? await deps.uploads.multipart.find(bucket.id, uploadId)
    : undefined;
  if (upload?.path !== key) throw noSuchUpload(uploadId);
  return upload;
}

/** Returns the same where the upload is not complete. */
export async function findUnfinished(context: ObjectContext): Promise<MultipartUpload> {
  const upload = await findUpload(context);
  if (upload.file_id !== null) throw noSuchUpload(upload.id);
  return upload;
}

/** Throws NoSuchUpload where an upload has ended while a request was about it. */
export function rethrowEnded(upload: MultipartUpload, error: unknown): never {
  throw error instanceof AppError && error.code === 'gone' ? noSuchUpload(upload.id) : error;
}

/** Deletes an upload and its parts. */
export async function abortMultipartUpload(context: ObjectContext): Promise<S3Response> {
  const upload = await findUnfinished(context);
  if (!(await context.deps.uploads.multipart.abort(upload))) throw noSuchUpload(upload.id);
  return emptyResponse(204);
}
