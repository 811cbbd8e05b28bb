import { GIB, MIB } from '../../../contract/limits.ts';
import { AppError } from '../../../errors.ts';
import { isId } from '../../../platform/ids.ts';
import { actorOf, uploaderName } from '../../access/principal.ts';
import { fileLimitOf, requireAllowedType, sizeRefusal } from '../../buckets/service.ts';
import {
  type MultipartUpload,
  plainTypeOf,
  SNIFF_BYTES,
  type UploadPartRow,
} from '../../uploads/service.ts';
import { receivePayload } from '../auth/receive-payload.ts';
import type { ObjectContext } from '../context.ts';
import { emptyResponse, xmlResponse } from '../context.ts';
import { S3Error } from '../errors.ts';
import { noSuchKey } from '../refusals.ts';
import type { S3Response } from '../request.ts';
import { childrenOf, parseXml, textOf } from '../xml/parse.ts';
import { writeXml } from '../xml/write.ts';
import { expectedBy, requireExpected, rethrowUnexpected } from './conditions.ts';
import { findCopySource } from './copy-object.ts';
import { isFolderKey, nameOf, requireKey } from './keys.ts';
import { parseStoredFields, type StoredFields } from './object-headers.ts';
import { readText } from './read-text.ts';
import { newVersionHeaders } from './versions/find-version.ts';

/** As in S3. */
const MAX_PARTS = 10_000;
const MIN_PART_BYTES = 5 * MIB;
const MAX_PART_BYTES = 5 * GIB;

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
  const fields = parseStoredFields(request.headers);
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
  );
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
async function findUnfinished(context: ObjectContext): Promise<MultipartUpload> {
  const upload = await findUpload(context);
  if (upload.file_id !== null) throw noSuchUpload(upload.id);
  return upload;
}

/** Throws NoSuchUpload where an upload has ended while a request was about it. */
function rethrowEnded(upload: MultipartUpload, error: unknown): never {
  throw error instanceof AppError && error.code === 'gone' ? noSuchUpload(upload.id) : error;
}

/** Stores a part; the last one with its number counts. */
export async function uploadPart(context: ObjectContext): Promise<S3Response> {
  const number = requirePartNumber(context.query);
  const upload = await findUnfinished(context);
  const isCopy = context.request.headers.has('x-amz-copy-source');
  return isCopy ? copyPart(context, upload, number) : receivePart(context, upload, number);
}

function requirePartNumber(query: ReadonlyMap<string, string>): number {
  const number = Number(/^\d{1,5}$/.exec(query.get('partNumber') ?? '')?.[0] ?? 0);
  if (number < 1 || number > MAX_PARTS) {
    throw new S3Error('InvalidArgument', `partNumber must be from 1 to ${MAX_PARTS}.`, {
      ArgumentName: 'partNumber',
    });
  }
  return number;
}

async function receivePart(
  context: ObjectContext,
  upload: MultipartUpload,
  number: number,
): Promise<S3Response> {
  const { deps, request, bucket, caller } = context;
  const payload = receivePayload(caller, request.headers, request.body);
  const length = payload.size;
  if (length === null) throw new S3Error('MissingContentLength', 'Send the length of the part.');
  requirePartSize(context, length);
  const md5 = await deps.uploads.multipart
    .putPart(bucket, upload, { number, length }, payload.body)
    .catch((error) => rethrowEnded(upload, error));
  const checksum = payload.checksum();
  return emptyResponse(200, {
    etag: `"${md5}"`,
    ...(checksum && { [`x-amz-checksum-${checksum.algorithm.toLowerCase()}`]: checksum.value }),
  });
}

function requirePartSize({ deps, bucket }: ObjectContext, length: number): void {
  const tooLarge = 'The part is larger than this server accepts.';
  const { maxBytes } = fileLimitOf(bucket, { maxBytes: deps.maxFileBytes, tooLarge });
  if (length > Math.min(maxBytes, MAX_PART_BYTES)) throw new S3Error('EntityTooLarge', tooLarge);
}

/** Stores bytes of another object as a part. */
async function copyPart(
  context: ObjectContext,
  upload: MultipartUpload,
  number: number,
): Promise<S3Response> {
  const { deps, request, bucket } = context;
  const { view } = await findCopySource(context);
  const range = parseCopyRange(request.headers.get('x-amz-copy-source-range'), view.size);
  const length = range.end - range.start;
  requirePartSize(context, length);
  const source = await deps.objects.open(view.source, { size: view.size });
  if (!source) throw noSuchKey(context.key);
  const body = source.body(range);
  const md5 = await deps.uploads.multipart
    .putPart(bucket, upload, { number, length }, body instanceof Blob ? body.stream() : body)
    .catch((error) => rethrowEnded(upload, error));
  return xmlResponse(
    writeXml('CopyPartResult', [
      ['LastModified', new Date(deps.clock()).toISOString()],
      ['ETag', `"${md5}"`],
    ]),
  );
}

/** Returns the bytes of a source that a part has, with `end` exclusive. Throws InvalidArgument, InvalidRange. */
export function parseCopyRange(
  header: string | null,
  size: number,
): { start: number; end: number } {
  if (header === null) return { start: 0, end: size };
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header) ?? [];
  const [start, end] = [Number(first), Number(last) + 1];
  if (first === undefined || start >= end) {
    throw new S3Error('InvalidArgument', 'x-amz-copy-source-range must be like bytes=0-9.', {
      ArgumentName: 'x-amz-copy-source-range',
      ArgumentValue: header,
    });
  }
  if (end <= size) return { start, end };
  throw new S3Error('InvalidRange', 'The range is outside of the source.', {
    ActualObjectSize: String(size),
  });
}

/** Makes the parts that the client names one object. It can be repeated for a day, and answers the same. */
export async function completeMultipartUpload(context: ObjectContext): Promise<S3Response> {
  const { deps, request, bucket, bucketName, key, caller } = context;
  const upload = await findUpload(context);
  const sent = parseComplete(await readText(context, { hasChecksumOfObject: true }));
  const stored = await deps.uploads.multipart.parts(upload.id, { after: 0, limit: MAX_PARTS });
  const parts = requireParts(sent, stored);
  const etag = etagOfParts(parts);
  if (upload.file_id === null) {
    await requireAccepted(context, parts);
    const fields: StoredFields = JSON.parse(upload.metadata);
    const file = {
      ...fields,
      ...{ name: nameOf(key), path: key, etag, actor: actorOf(caller.principal) },
      preconditions: expectedBy(request.headers),
    };
    await deps.uploads.multipart
      .complete(bucket, upload, parts, file)
      .catch((error) => rethrowEnded(upload, error))
      .catch((error) => rethrowUnexpected(context, error));
  }
  const { file_id: fileId } = await findUpload(context);
  return xmlResponse(
    writeXml('CompleteMultipartUploadResult', [
      ['Location', `/${bucketName}/${key}`],
      ['Bucket', bucketName],
      ['Key', key],
      ['ETag', `"${etag}"`],
    ]),
    200,
    fileId === null ? {} : newVersionHeaders(bucket, fileId),
  );
}

/** Throws what the bucket would refuse, before its storage joins the parts. */
async function requireAccepted(context: ObjectContext, parts: UploadPartRow[]): Promise<void> {
  const { deps, request, bucket, key } = context;
  const expected = expectedBy(request.headers);
  if (expected.ifMatch !== null || expected.ifNoneMatch !== null) {
    requireExpected(expected, key, await deps.files.objectAt(bucket.id, key));
  }
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  const refusal = sizeRefusal(bucket, size);
  if (refusal) throw refusal;
  if (size > deps.maxFileBytes) {
    throw new S3Error('EntityTooLarge', 'The object is larger than this server accepts.');
  }
  const [first] = parts;
  if (bucket.allowed_types === null || !first) return;
  const object = await deps.objects.open(first.object_key, { size: first.size });
  const head = object?.body({ start: 0, end: Math.min(first.size, SNIFF_BYTES) });
  const bytes = new Uint8Array(await new Response(head ?? null).arrayBuffer());
  requireAllowedType(bucket, await plainTypeOf(nameOf(key), bytes));
}

type SentPart = { number: number; etag: string };

function parseComplete(body: string): SentPart[] {
  const root = parseXml(body);
  const parts = childrenOf(root, 'Part');
  if (root.name !== 'CompleteMultipartUpload' || parts.length === 0 || parts.length > MAX_PARTS) {
    throw new S3Error('MalformedXML', `Send 1 to ${MAX_PARTS} parts.`);
  }
  return parts.map((part) => {
    const number = textOf(part, 'PartNumber')?.trim() ?? '';
    const etag = textOf(part, 'ETag')?.trim().replaceAll('"', '') ?? '';
    if (/^\d{1,5}$/.test(number) && etag !== '') return { number: Number(number), etag };
    throw new S3Error('MalformedXML', 'A part needs a PartNumber and an ETag.');
  });
}

/** Returns the rows of the parts that a client names. Throws InvalidPartOrder, InvalidPart, EntityTooSmall. */
export function requireParts(sent: SentPart[], stored: UploadPartRow[]): UploadPartRow[] {
  const rows = new Map(stored.map((row) => [row.position, row]));
  const isAscending = sent.every(({ number }, n) => n === 0 || number > (sent[n - 1]?.number ?? 0));
  if (!isAscending) {
    throw new S3Error('InvalidPartOrder', 'The parts must be in the order of their numbers.');
  }
  return sent.map(({ number, etag }, n) => {
    const row = rows.get(number);
    if (!row || row.md5 !== etag) {
      throw new S3Error('InvalidPart', `Part ${number} is missing, or has another ETag.`, {
        PartNumber: String(number),
      });
    }
    if (n < sent.length - 1 && row.size < MIN_PART_BYTES) {
      throw new S3Error('EntityTooSmall', 'All parts but the last must have at least 5 MiB.', {
        PartNumber: String(number),
        ProposedSize: String(row.size),
        MinSizeAllowed: String(MIN_PART_BYTES),
      });
    }
    return row;
  });
}

/** Returns the ETag of an object in parts, as S3 and its clients compute it: the MD5 of the MD5s, and their number. */
export function etagOfParts(parts: Pick<UploadPartRow, 'md5'>[]): string {
  const hasher = new Bun.CryptoHasher('md5');
  for (const { md5 } of parts) hasher.update(Buffer.from(md5 ?? '', 'hex'));
  return `${hasher.digest('hex')}-${parts.length}`;
}

/** Deletes an upload and its parts. */
export async function abortMultipartUpload(context: ObjectContext): Promise<S3Response> {
  const upload = await findUnfinished(context);
  if (!(await context.deps.uploads.multipart.abort(upload))) throw noSuchUpload(upload.id);
  return emptyResponse(204);
}
