import type { Access } from '../../../contract/wire.ts';
import type { ObjectBytes } from '../../../platform/storage/port.ts';
import { isFresh, isOther } from '../../../web/http/conditional-requests.ts';
import { can, isPublic } from '../../access/can.ts';
import { NOBODY, uploaderName } from '../../access/principal.ts';
import { RUNS_IN_BROWSERS, requireWhole } from '../../delivery/service.ts';
import type { ObjectRow } from '../../files/service.ts';
import { checksumHeader } from '../checksums/declared-checksums.ts';
import type { ReadContext } from '../context.ts';
import { emptyResponse } from '../context.ts';
import { S3Error } from '../errors.ts';
import { noSuchKey, toRefusal } from '../refusals.ts';
import type { S3Response } from '../request.ts';
import { conditionsOf, preconditionFailed } from './conditions.ts';
import { expirationHeader } from './configuration/lifecycle.ts';
import { requireKey } from './keys.ts';
import { metadataHeaders, requireHeaderValue, storedHeaders } from './object-headers.ts';
import { type ObjectView, viewObject, withoutOriginal } from './object-view.ts';
import { parseStoredChecksum } from './parts/multipart-checksum.ts';
import { type ObjectParts, parseParts } from './parts/object-parts.ts';
import { partCountOf, requestedPartNumber, requestedRange } from './requested-range.ts';
import { tagCountHeaders } from './tagging/tags.ts';
import { findObject, requestedVersion, versionHeaders } from './versions/find-version.ts';

/** Answers GET and HEAD of an object. */
export async function getObject(context: ReadContext): Promise<S3Response> {
  const { request, bucket, key } = context;
  requireKey(key);
  const row = await findReadable(context);
  const view = viewObject(row);
  const headers = await objectHeaders(context, row, view);
  const version = { etag: `"${view.etag}"`, modifiedAt: row.created_at };
  const conditions = conditionsOf(request.headers);
  if (isOther(conditions, version)) throw preconditionFailed('If-Match');
  if (isFresh(conditions, version)) return emptyResponse(304, cachingHeaders(headers));
  const isGet = request.method === 'GET';
  if (isGet && view.storageClass === 'GLACIER') throw notKept(key);
  const object = isGet || view.size === null ? await openSource(context, view) : null;
  if (isGet && view.source !== null && !object) throw noSuchKey(key);
  if (object) requireWhole(view.source ?? '', object, view.size);
  const size = object?.size ?? view.size ?? row.size;
  const parts = await partsFor(context, row, view);
  const range = requestedRange(context, { size, version, etag: view.etag, parts });
  const length = range ? range.end - range.start : size;
  const sent = {
    status: range ? 206 : 200,
    headers: {
      ...(range && length < size ? withoutChecksum(headers) : headers),
      'content-length': String(length),
      ...(range && { 'content-range': `bytes ${range.start}-${range.end - 1}/${size}` }),
      ...partHeaders(context, row, view, parts),
    },
  };
  if (!isGet) return { ...sent, body: null };
  return {
    ...sent,
    body: object === null || length === 0 ? '' : bodyOf(context, object, range ?? undefined),
    countSent: context.deps.counterOf(bucket.id, row.id),
  };
}

/** Only the server of the API's address sends a file without passing it through this process. */
const bodyOf = (
  { request }: Pick<ReadContext, 'request'>,
  object: ObjectBytes,
  range: { start: number; end: number } | undefined,
) => (request.basePath === '' && object.stream ? object.stream(range) : object.body(range));

/** Returns the bytes of an object; null where it has none. */
export async function openSource({ deps }: ReadContext, { source, size }: ObjectView) {
  if (source === null) return null;
  return size === null ? deps.objects.open(source) : deps.objects.open(source, { size });
}

/**
 * Returns the file at the key. Who has no key opens public files only, and is not told of others. Neither they nor
 * who has a presigned URL pass the rules of the bucket's owner.
 */
export async function findReadable(context: ReadContext): Promise<ObjectRow> {
  const { deps, bucket, key, caller, request, query } = context;
  const now = deps.clock();
  const undelivered = can(NOBODY, 'receive-bytes', { bucket, now });
  if (undelivered) throw toRefusal(undelivered);
  const isThere = ({ expires_at }: ObjectRow) => expires_at === null || now < expires_at;
  const versionId = requestedVersion(query);
  if (caller.kind === 'anonymous') {
    // Earlier versions are nobody's who has no key: their owner has replaced them.
    const current = versionId === null ? await currentObject(context) : undefined;
    const { grants } = context;
    if (grants.canList(key) && versionId === null && !current) throw noSuchKey(key);
    const isOpen =
      current &&
      isThere(current) &&
      current.file_type !== 'folder' &&
      (isPublic(current, bucket) || grants.canRead(key));
    if (!isOpen) throw context.hidden();
    deps.requireRules(request, bucket, current.id);
    return withoutOriginal(current);
  }
  const current = versionId === null ? await currentObject(context) : undefined;
  const row = current ?? (await findObject(deps, { bucket, key, versionId }));
  if (!isThere(row)) throw noSuchKey(key);
  if (caller.proof === 'presigned') deps.requireRules(request, bucket, row.id);
  return row;
}

/** Returns the object at the key, which may have to be fetched from the source of its bucket first; undefined for none. */
async function currentObject(context: ReadContext): Promise<ObjectRow | undefined> {
  const { deps, bucket, key, caller, grants, request } = context;
  const row = await deps.files.objectAt(bucket.id, key);
  if (row || bucket.has_source !== 1) return row;
  const mayOpen = (access: Access) => {
    const isOwn = caller.kind === 'key';
    if (!isOwn && !isPublic({ access }, bucket) && !grants.canRead(key)) return false;
    if (!isOwn || caller.proof === 'presigned') deps.requireRules(request, bucket, null);
    return true;
  };
  const id = missesFor(context);
  const hasCome = await deps.fetchMissing(bucket, key, { id, mayOpen });
  return hasCome ? deps.files.objectAt(bucket.id, key) : undefined;
}

/** Programs that upload ask before whether an object is there. No stranger has a key that writes, but URLs signed with one. */
function missesFor({ caller, deps, request }: ReadContext): string | null {
  if (caller.kind !== 'key') return deps.addressOf(request);
  const writes = caller.principal.access !== 'read' && caller.proof !== 'presigned';
  return writes ? null : uploaderName(caller.principal);
}

async function objectHeaders(
  { query, request, bucket, caller }: ReadContext,
  row: ObjectRow,
  view: ObjectView,
): Promise<Record<string, string>> {
  const overrides = caller.kind === 'anonymous' ? {} : overridesOf(query);
  const contentType = overrides['content-type'] ?? view.contentType;
  const headers = {
    'accept-ranges': 'bytes',
    'last-modified': new Date(row.created_at).toUTCString(),
    etag: `"${view.etag}"`,
    ...storedHeaders(row.headers),
    ...metadataHeaders(row.metadata),
    ...(view.storageClass !== 'STANDARD' && { 'x-amz-storage-class': view.storageClass }),
    ...checksumHeaders(request.headers, row),
    ...versionHeaders(bucket, row),
    ...(caller.kind === 'key' && expirationHeader(bucket, row)),
    ...(caller.kind === 'key' && tagCountHeaders(row.tags)),
    ...overrides,
    'content-type': contentType,
  };
  // At the address of the dashboard nothing that a browser runs is shown.
  const isShown = request.basePath === '' || !RUNS_IN_BROWSERS.test(contentType);
  return isShown ? headers : { ...headers, 'content-disposition': 'attachment' };
}

const OVERRIDES = [
  ...(['content-type', 'content-language', 'expires', 'cache-control'] as const),
  ...(['content-disposition', 'content-encoding'] as const),
];

function overridesOf(query: ReadonlyMap<string, string>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of OVERRIDES) {
    const value = query.get(`response-${name}`);
    if (value !== undefined) headers[name] = requireHeaderValue(`response-${name}`, value);
  }
  return headers;
}

/** Returns the parts of an object for a request about one of them; null for other requests, and where they are unknown. */
async function partsFor(
  { deps, query }: ReadContext,
  row: ObjectRow,
  view: ObjectView,
): Promise<ObjectParts | null> {
  const isAsked = requestedPartNumber({ query }) !== null && partCountOf(view.etag) !== null;
  return isAsked ? parseParts(await deps.files.partsOf(row.id)) : null;
}

/** Returns what tells who asks for a part how many there are, and the checksum of this one. */
function partHeaders(
  { query, request }: ReadContext,
  { checksum }: ObjectRow,
  { etag }: ObjectView,
  parts: ObjectParts | null,
): Record<string, string> {
  const number = requestedPartNumber({ query });
  const count = partCountOf(etag);
  if (number === null || count === null) return {};
  const value = parts?.checksums?.[number - 1];
  const stored = parseStoredChecksum(checksum);
  return {
    'x-amz-mp-parts-count': String(count),
    ...(wantsChecksum(request.headers) &&
      value !== undefined &&
      stored && {
        [checksumHeader(stored.algorithm)]: value,
        'x-amz-checksum-type': stored.type,
      }),
  };
}

const wantsChecksum = (headers: Headers): boolean =>
  headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED';

function checksumHeaders(headers: Headers, row: ObjectRow): Record<string, string> {
  const checksum = wantsChecksum(headers) ? parseStoredChecksum(row.checksum) : null;
  if (!checksum) return {};
  return {
    [checksumHeader(checksum.algorithm)]: checksum.value,
    'x-amz-checksum-type': checksum.type,
  };
}

/** A client would compare the checksum of the whole object with the bytes of the range. */
const withoutChecksum = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('x-amz-checksum-')),
  );

const CACHING = ['etag', 'last-modified', 'cache-control', 'expires'];

const cachingHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => CACHING.includes(name)));

const notKept = (key: string) =>
  new S3Error(
    'InvalidObjectState',
    'The uploaded bytes of this file are not kept or not public. It is delivered by its own address only.',
    { Key: key, StorageClass: 'GLACIER' },
  );
