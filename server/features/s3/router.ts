import { can } from '../access/can.ts';
import type { AuthenticatedRequest, OperationDeps } from './context.ts';
import { S3Error } from './errors.ts';
import { requireAcceptedAcl } from './operations/acl/requested-acl.ts';
import { createBucket, findOwnBucket, headBucket } from './operations/bucket.ts';
import { getObject } from './operations/get-object.ts';
import { listBuckets } from './operations/list-buckets.ts';
import { listObjects } from './operations/list-objects.ts';
import { getObjectAttributes } from './operations/object-attributes.ts';
import { BUCKET_OPERATIONS, OBJECT_OPERATIONS, type Operation } from './operations/table.ts';
import { postObject } from './post/post-object.ts';
import { withMovedHeaders } from './presigned-headers.ts';
import { refuseStranger, toListContext, toReadContext } from './public-reads.ts';
import { toRefusal } from './refusals.ts';
import type { S3Address, S3Response } from './request.ts';

/** The parameters that change how an operation answers, but not which it is. */
const PARAMETERS = new Set([
  ...['list-type', 'prefix', 'delimiter', 'marker', 'max-keys', 'encoding-type', 'fetch-owner'],
  ...['continuation-token', 'start-after', 'max-buckets', 'key-marker', 'upload-id-marker'],
  ...[
    'max-uploads',
    'max-parts',
    'part-number-marker',
    'version-id-marker',
    'partNumber',
    'versionId',
    'x-id',
  ],
  ...['bucket-region', 'allow-unordered'],
]);

/** The names of all sub-resources of S3, also with a value. */
const SUBRESOURCES = new Set([
  ...['accelerate', 'acl', 'analytics', 'attributes', 'cors', 'delete', 'encryption'],
  ...['intelligent-tiering', 'inventory', 'legal-hold', 'lifecycle', 'location', 'logging'],
  ...['metadataTable', 'metrics', 'notification', 'object-lock', 'ownershipControls', 'policy'],
  ...['policyStatus', 'publicAccessBlock', 'renameObject', 'replication', 'requestPayment'],
  ...['restore', 'retention', 'select', 'session', 'tagging', 'torrent', 'uploadId', 'uploads'],
  ...['versioning', 'versions', 'website'],
]);

/**
 * Returns the sub-resource that a query names; null for none. A name without a value counts as one too, so that no
 * unknown one is taken for the object itself.
 */
function subresourceOf(query: ReadonlyMap<string, string>): string | null {
  for (const [name, value] of query) {
    if (SUBRESOURCES.has(name)) return name;
    const isParameter = PARAMETERS.has(name) || /^(x-amz-|response-)/i.test(name);
    if (value === '' && !isParameter) return name;
  }
  return null;
}

const notImplemented = (what: string) =>
  new S3Error('NotImplemented', `${what} is not supported by this server.`);

/** Does what a request asks for. Throws S3Error, and AppError of the services. */
export async function route(
  deps: OperationDeps,
  sent: AuthenticatedRequest,
  address: S3Address,
): Promise<S3Response> {
  const authenticated = withHeadersOfUrl(sent);
  const { request, query } = authenticated;
  const subresource = subresourceOf(query);
  const { bucket: bucketName, key } = address;
  const { method } = request;
  const read = key === null ? undefined : readOperation(method, subresource);
  const asking = { ...authenticated, deps };
  if (bucketName !== null && key !== null && read) {
    return read(await toReadContext(asking, bucketName, key));
  }
  const list = key === null ? listOperation(method, subresource) : undefined;
  if (bucketName !== null && list) return list(await toListContext(asking, bucketName));
  if (method === 'POST' && bucketName !== null && key === null && subresource === null) {
    return postObject({ ...authenticated, deps }, bucketName);
  }
  const { caller } = authenticated;
  if (caller.kind !== 'key') throw toRefusal('unauthenticated');
  const context = { ...authenticated, deps, caller };
  if (bucketName === null) {
    if (method === 'GET' && subresource === null) return listBuckets(context);
    throw notImplemented(`${method} of the service`);
  }
  if (key === null && method === 'PUT' && subresource === null) {
    return createBucket(context, bucketName);
  }
  const operation = findOperation(method, subresource, key);
  if (query.get('versionId') && !operation.knowsVersions) {
    throw notImplemented(`A version id for ${method} of this`);
  }
  const bucket = await findOwnBucket(context, bucketName);
  if (!bucket) throw await refuseStranger(asking, bucketName);
  const refusal = can(caller.principal, operation.action, bucket);
  if (refusal) throw toRefusal(refusal);
  requireAcceptedAcl(bucket, request.headers.get('x-amz-acl'));
  return operation.run({ ...context, bucket, bucketName, key: key ?? '' });
}

/** Returns a request with the headers that its presigned URL has in the query. */
function withHeadersOfUrl(sent: AuthenticatedRequest): AuthenticatedRequest {
  const { request, query, caller } = sent;
  if (caller.kind !== 'key' || caller.proof !== 'presigned') return sent;
  return { ...sent, request: { ...request, headers: withMovedHeaders(request.headers, query) } };
}

/** Returns how an object is read, which needs no key where it is public; undefined for other operations. */
function readOperation(method: string, subresource: string | null) {
  if (method === 'GET' && subresource === 'attributes') return getObjectAttributes;
  const isRead = (method === 'GET' || method === 'HEAD') && subresource === null;
  return isRead ? getObject : undefined;
}

/** Returns how a bucket is listed or asked for, which needs no key where its list is public; undefined for other operations. */
function listOperation(method: string, subresource: string | null) {
  if (subresource !== null) return undefined;
  return method === 'GET' ? listObjects : method === 'HEAD' ? headBucket : undefined;
}

function findOperation(method: string, subresource: string | null, key: string | null): Operation {
  const operations = key === null ? BUCKET_OPERATIONS : OBJECT_OPERATIONS;
  const name = subresource === null ? method : `${method} ?${subresource}`;
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation) return operation;
  throw notImplemented(`${name} of ${key === null ? 'a bucket' : 'an object'}`);
}
