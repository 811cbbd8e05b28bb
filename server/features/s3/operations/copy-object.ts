import { conflict } from '../../../errors.ts';
import { isFresh, isOther } from '../../../web/http/conditional-requests.ts';
import { can } from '../../access/can.ts';
import { actorOf } from '../../access/principal.ts';
import { type Bucket, fileLimitOf, versioningOf } from '../../buckets/service.ts';
import { type ObjectRow, versionIdOf } from '../../files/service.ts';
import { copyPlain, discardFailed } from '../../uploads/service.ts';
import type { ObjectContext } from '../context.ts';
import { xmlResponse } from '../context.ts';
import { S3Error } from '../errors.ts';
import { processAs, readHead } from '../process-as.ts';
import { noSuchKey, toRefusal } from '../refusals.ts';
import type { S3Response } from '../request.ts';
import { writeXml } from '../xml/write.ts';
import { findBucket } from './bucket.ts';
import { conditionsOf, expectedBy, preconditionFailed, rethrowUnexpected } from './conditions.ts';
import { expirationHeader } from './configuration/lifecycle.ts';
import { isFolderKey, nameOf, requireKey } from './keys.ts';
import { parseStoredFields, type StoredFields } from './object-headers.ts';
import { type ObjectView, viewObject } from './object-view.ts';
import { requireAllowedBytes } from './parts/allowed-bytes.ts';
import { checksumNodes, parseStoredChecksum } from './parts/multipart-checksum.ts';
import { findObject, newVersionHeaders, requireVersionId } from './versions/find-version.ts';

export type CopySource = {
  bucket: Bucket;
  row: ObjectRow;
  view: ObjectView & { source: string; size: number };
};

/** Stores the bytes of another object at the key, which the storage copies by itself where it can. */
export async function copyObject(context: ObjectContext): Promise<S3Response> {
  const { deps, request, bucket, key, caller } = context;
  if (isFolderKey(key)) {
    throw new S3Error('InvalidRequest', 'A key that ends in a slash is a folder on this server.');
  }
  const source = await findCopySource(context);
  const fields = copiedFields(request.headers, source);
  const isItself =
    source.bucket.id === bucket.id && source.row.path === key && source.row.superseded_at === null;
  if (isItself && !isReplacing(request.headers)) {
    throw new S3Error(
      'InvalidRequest',
      'An object can be copied to itself only with x-amz-metadata-directive: REPLACE.',
    );
  }
  await requireAllowedBytes(context, { key: source.view.source, size: source.view.size });
  const tooLarge = 'The object is larger than this bucket accepts.';
  const { maxBytes } = fileLimitOf(bucket, { maxBytes: deps.maxFileBytes, tooLarge });
  if (source.view.size > maxBytes) throw new S3Error('EntityTooLarge', tooLarge);
  const name = nameOf(key);
  const stored = await copyPlain(deps, bucket, name, {
    key: source.view.source,
    size: source.view.size,
  });
  const { row } = source;
  try {
    const file = await deps.files.createPlain({
      ...stored,
      ...fields,
      ...{ bucket, name, path: key, onConflict: 'replace', actor: actorOf(caller.principal) },
      preconditions: expectedBy(request.headers),
      processAs: await processAs(deps, bucket, { ...fields, size: stored.size }, () =>
        readHead(deps, stored),
      ),
      ...{ sha256: null, md5: row.md5, etag: row.md5 === null ? source.view.etag : row.etag },
      checksum: row.checksum,
      parts: await deps.files.partsOf(row.id),
      expired: () => conflict('The copy took too long. Try again.'),
    });
    const result = writeXml('CopyObjectResult', [
      ['LastModified', file.date],
      ['ETag', `"${source.view.etag}"`],
      ...checksumNodes(parseStoredChecksum(row.checksum)),
    ]);
    return xmlResponse(result, 200, {
      ...copySourceHeaders(source),
      ...newVersionHeaders(bucket, file.id),
      ...expirationHeader(bucket, { path: key, created_at: Date.parse(file.date) }),
    });
  } catch (error) {
    await discardFailed(deps, [stored], error);
    return rethrowUnexpected(context, error);
  }
}

/** Returns the header with the version of the source; none for a bucket that never kept versions. */
export const copySourceHeaders = ({ bucket, row }: CopySource): Record<string, string> =>
  versioningOf(bucket) === null ? {} : { 'x-amz-copy-source-version-id': versionIdOf(row) };

/** Whether a copy has its own of something, and not what the source has. Throws InvalidArgument. */
function isReplacing(headers: Headers, what: 'metadata' | 'tagging' = 'metadata'): boolean {
  const name = `x-amz-${what}-directive`;
  const directive = headers.get(name)?.toUpperCase() ?? 'COPY';
  if (directive !== 'COPY' && directive !== 'REPLACE') {
    throw new S3Error('InvalidArgument', `${name} must be COPY or REPLACE.`, {
      ArgumentName: name,
      ArgumentValue: directive,
    });
  }
  return directive === 'REPLACE';
}

/** Returns what is stored with a copy: what the source has, or what the request says. */
function copiedFields(headers: Headers, { row, view }: CopySource): StoredFields {
  const fields = parseStoredFields(headers);
  const tags = isReplacing(headers, 'tagging') ? fields.stored.tags : row.tags;
  if (isReplacing(headers)) return { ...fields, stored: { ...fields.stored, tags } };
  const stored = { metadata: row.metadata, headers: row.headers, tags };
  return { contentType: view.contentType, access: fields.access, stored };
}

/** Returns the object that a request copies. Throws NoSuchBucket, NoSuchKey, AccessDenied, PreconditionFailed. */
export async function findCopySource(context: ObjectContext): Promise<CopySource> {
  const { deps, request, caller } = context;
  const { bucketName, key, versionId } = parseCopySource(
    request.headers.get('x-amz-copy-source') ?? '',
  );
  requireKey(key);
  const bucket = await findBucket(context, bucketName);
  const now = deps.clock();
  const refusal =
    can(caller.principal, 'read-files', bucket) ??
    can(caller.principal, 'receive-bytes', { bucket, now });
  if (refusal) throw toRefusal(refusal);
  const row = await findObject(deps, { bucket, key, versionId });
  if (row.expires_at !== null && now >= row.expires_at) throw noSuchKey(key);
  const view = viewObject(row);
  requireSourceConditions(request.headers, row, view);
  const { source, size } = view;
  if (view.storageClass === 'GLACIER') {
    throw new S3Error('InvalidObjectState', 'The uploaded bytes of this video are not kept.', {
      Key: key,
      StorageClass: 'GLACIER',
    });
  }
  if (source === null) throw new S3Error('InvalidRequest', 'A folder has no bytes to copy.');
  const known = size ?? (await deps.objects.head(source))?.size;
  if (known === undefined) throw noSuchKey(key);
  return { bucket, row, view: { ...view, source, size: known } };
}

function parseCopySource(header: string): {
  bucketName: string;
  key: string;
  versionId: string | null;
} {
  const [path = '', query = ''] = header.split('?');
  const versionId = /(?:^|&)versionId=([^&]*)/.exec(query)?.[1] || null;
  if (versionId !== null) requireVersionId(versionId);
  try {
    const decoded = decodeURIComponent(path).replace(/^\//, '');
    const slash = decoded.indexOf('/');
    if (slash > 0 && slash < decoded.length - 1) {
      return { bucketName: decoded.slice(0, slash), key: decoded.slice(slash + 1), versionId };
    }
  } catch {
    // What is not percent-encoded UTF-8 names nothing.
  }
  throw new S3Error('InvalidArgument', 'x-amz-copy-source must be bucket/key, percent-encoded.');
}

const SOURCE_CONDITION = 'x-amz-copy-source-';
const CONDITIONS = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];

function requireSourceConditions(headers: Headers, row: ObjectRow, { etag }: ObjectView): void {
  const conditions = new Headers();
  for (const name of CONDITIONS) {
    const value = headers.get(SOURCE_CONDITION + name);
    if (value !== null) conditions.set(name, value);
  }
  const version = { etag: `"${etag}"`, modifiedAt: row.created_at };
  const expected = conditionsOf(conditions);
  if (isOther(expected, version) || isFresh(expected, version)) {
    throw preconditionFailed('x-amz-copy-source-*');
  }
}
