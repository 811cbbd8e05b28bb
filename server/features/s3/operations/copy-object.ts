import { conflict } from '../../../errors.ts';
import { isFresh, isOther } from '../../../web/http/conditional-requests.ts';
import { can } from '../../access/can.ts';
import { actorOf } from '../../access/principal.ts';
import { type Bucket, fileLimitOf, requireAllowedType } from '../../buckets/service.ts';
import type { ObjectRow } from '../../files/service.ts';
import { copyPlain, discardFailed } from '../../uploads/service.ts';
import type { ObjectContext } from '../context.ts';
import { xmlResponse } from '../context.ts';
import { S3Error } from '../errors.ts';
import { noSuchKey, toRefusal } from '../refusals.ts';
import type { S3Response } from '../request.ts';
import { writeXml } from '../xml/write.ts';
import { findBucket } from './bucket.ts';
import { expectedBy, preconditionFailed, rethrowUnexpected } from './conditions.ts';
import { expirationHeader } from './configuration/lifecycle.ts';
import { isFolderKey, nameOf, requireKey } from './keys.ts';
import { parseStoredFields, type StoredFields } from './object-headers.ts';
import { type ObjectView, viewObject } from './object-view.ts';

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
  const isItself = source.bucket.id === bucket.id && source.row.path === key;
  if (isItself && !isReplacing(request.headers)) {
    throw new S3Error(
      'InvalidRequest',
      'An object can be copied to itself only with x-amz-metadata-directive: REPLACE.',
    );
  }
  requireAllowedType(bucket, fields.contentType);
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
      ...{ sha256: null, md5: row.md5, etag: row.md5 === null ? source.view.etag : row.etag },
      checksum: row.checksum,
      expired: () => conflict('The copy took too long. Try again.'),
    });
    const response = xmlResponse(
      writeXml('CopyObjectResult', [
        ['LastModified', file.date],
        ['ETag', `"${source.view.etag}"`],
      ]),
    );
    const created = { path: key, created_at: Date.parse(file.date) };
    return { ...response, headers: { ...response.headers, ...expirationHeader(bucket, created) } };
  } catch (error) {
    await discardFailed(deps, [stored], error);
    return rethrowUnexpected(context, error);
  }
}

const isReplacing = (headers: Headers): boolean => {
  const directive = headers.get('x-amz-metadata-directive')?.toUpperCase() ?? 'COPY';
  if (directive !== 'COPY' && directive !== 'REPLACE') {
    throw new S3Error('InvalidArgument', 'x-amz-metadata-directive must be COPY or REPLACE.');
  }
  return directive === 'REPLACE';
};

/** Returns what is stored with a copy: what the source has, or what the request says. */
function copiedFields(headers: Headers, { row, view }: CopySource): StoredFields {
  const fields = parseStoredFields(headers);
  if (isReplacing(headers)) return fields;
  const stored = { metadata: row.metadata, headers: row.headers };
  return { contentType: view.contentType, access: fields.access, stored };
}

/** Returns the object that a request copies. Throws NoSuchBucket, NoSuchKey, AccessDenied, PreconditionFailed. */
export async function findCopySource(context: ObjectContext): Promise<CopySource> {
  const { deps, request, caller } = context;
  const { bucketName, key } = parseCopySource(request.headers.get('x-amz-copy-source') ?? '');
  requireKey(key);
  const bucket = await findBucket(context, bucketName);
  const now = deps.clock();
  const refusal =
    can(caller.principal, 'read-files', bucket) ??
    can(caller.principal, 'receive-bytes', { bucket, now });
  if (refusal) throw toRefusal(refusal);
  const row = await deps.files.objectAt(bucket.id, key);
  const isThere = row && (row.expires_at === null || now < row.expires_at);
  if (!isThere) throw noSuchKey(key);
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

function parseCopySource(header: string): { bucketName: string; key: string } {
  const [path = '', query = ''] = header.split('?');
  const version = /(?:^|&)versionId=([^&]*)/.exec(query)?.[1] ?? 'null';
  if (version !== 'null') {
    throw new S3Error('NotImplemented', 'Earlier versions can not be copied by their id.');
  }
  try {
    const decoded = decodeURIComponent(path).replace(/^\//, '');
    const slash = decoded.indexOf('/');
    if (slash > 0 && slash < decoded.length - 1) {
      return { bucketName: decoded.slice(0, slash), key: decoded.slice(slash + 1) };
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
  if (isOther(conditions, version) || isFresh(conditions, version)) {
    throw preconditionFailed('x-amz-copy-source-*');
  }
}
