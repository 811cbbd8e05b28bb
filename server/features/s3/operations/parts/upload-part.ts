import { GIB } from '../../../../contract/limits.ts';
import { fileLimitOf } from '../../../buckets/service.ts';
import type { MultipartUpload } from '../../../uploads/service.ts';
import { receivePayload } from '../../auth/receive-payload.ts';
import { checksumHeader } from '../../checksums/declared-checksums.ts';
import type { ObjectContext } from '../../context.ts';
import { emptyResponse, xmlResponse } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import { noSuchKey } from '../../refusals.ts';
import type { S3Response } from '../../request.ts';
import { writeXml } from '../../xml/write.ts';
import { copySourceHeaders, findCopySource } from '../copy-object.ts';
import { fieldsOf, findUnfinished, MAX_PARTS, rethrowEnded } from '../multipart.ts';
import { checksumNodes, storedChecksum } from './multipart-checksum.ts';
import { computed, withChecksum } from './part-checksum.ts';

/** As in S3. */
const MAX_PART_BYTES = 5 * GIB;

const toStored = (checksum: Parameters<typeof storedChecksum>[0] | null): string | null =>
  checksum && storedChecksum(checksum);

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
  const { plan } = fieldsOf(upload);
  const { body, checksum } = await withChecksum(plan, request.headers, payload);
  const kept = async () => toStored(await checksum());
  const md5 = await deps.uploads.multipart
    .putPart(bucket, upload, { number, length, checksum: kept }, body)
    .catch((error) => rethrowEnded(upload, error));
  const sent = await checksum();
  return emptyResponse(200, {
    etag: `"${md5}"`,
    ...(sent && { [checksumHeader(sent.algorithm)]: sent.value }),
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
  const copied = await findCopySource(context);
  const { view } = copied;
  const range = parseCopyRange(request.headers.get('x-amz-copy-source-range'), view.size);
  const length = range.end - range.start;
  requirePartSize(context, length);
  const source = await deps.objects.open(view.source, { size: view.size });
  if (!source) throw noSuchKey(context.key);
  const bytes = source.body(range);
  const { plan } = fieldsOf(upload);
  const { body, checksum } = await computed(plan, bytes instanceof Blob ? bytes.stream() : bytes);
  const kept = async () => toStored(await checksum());
  const md5 = await deps.uploads.multipart
    .putPart(bucket, upload, { number, length, checksum: kept }, body)
    .catch((error) => rethrowEnded(upload, error));
  return xmlResponse(
    writeXml('CopyPartResult', [
      ['LastModified', new Date(deps.clock()).toISOString()],
      ['ETag', `"${md5}"`],
      ...checksumNodes(await checksum()),
    ]),
    200,
    copySourceHeaders(copied),
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
