import { isId } from '../../platform/ids.ts';
import { can } from '../access/can.ts';
import type { Bucket } from '../buckets/service.ts';
import type { AuthenticatedRequest, ListContext, OperationDeps, ReadContext } from './context.ts';
import { S3Error } from './errors.ts';
import { findOwnBucket } from './operations/bucket.ts';
import { findGrants, type Grants, NO_GRANTS } from './operations/policy/grants.ts';
import { noSuchBucket, notPublic, toRefusal } from './refusals.ts';

/*
 * Reads that need no key where what is read is public. An account names its buckets alone, so people without a key of it
 * mean by a name the bucket that had it first. A key of another account opens what no key would. Neither learns which names
 * other accounts use: a private bucket looks like none.
 */

type Asking = AuthenticatedRequest & { deps: OperationDeps };

/** Returns who reads an object of which bucket. Throws where nobody of them can. */
export async function toReadContext(
  asking: Asking,
  bucketName: string,
  key: string,
): Promise<ReadContext> {
  const own = await findReadable(asking, bucketName);
  const unknown = asking.caller.kind === 'key' ? noSuchBucket : toHidden(bucketName);
  if (own) {
    return { ...asking, bucket: own, bucketName, key, grants: NO_GRANTS, hidden: unknown };
  }
  const { bucket, grants } = await findStrange(asking, bucketName);
  if (!bucket) throw isId(bucketName) ? noSuchBucket() : unknown();
  const hidden = grants.isKnown ? notPublic : unknown;
  return { ...asking, caller: { kind: 'anonymous' }, bucket, bucketName, key, grants, hidden };
}

/** Returns who lists which bucket, or asks for it. Throws where it is not their own and doesn't let them. */
export async function toListContext(asking: Asking, bucketName: string): Promise<ListContext> {
  const { deps, caller, request, query } = asking;
  const own = await findReadable(asking, bucketName);
  if (own) return { ...asking, bucket: own, bucketName };
  const { bucket, grants } = await findStrange(asking, bucketName);
  if (!bucket || !grants.canList(query.get('prefix') ?? '')) {
    if (caller.kind !== 'key') throw toRefusal('unauthenticated');
    throw grants.isKnown ? ofAnother() : noSuchBucket();
  }
  deps.requireRules(request, bucket, null);
  return { ...asking, caller: { kind: 'anonymous' }, bucket, bucketName };
}

/** Returns the error for a key that asks for something else of a bucket which its account doesn't have. */
export async function refuseStranger(asking: Asking, bucketName: string): Promise<S3Error> {
  const { grants } = await findStrange(asking, bucketName);
  return grants.isKnown ? ofAnother() : noSuchBucket();
}

const ofAnother = () => new S3Error('AccessDenied', 'The bucket belongs to another account.');

/** Returns what is told to who has no key. Nobody guesses an id, but names are guessed. */
const toHidden = (bucketName: string) => () =>
  isId(bucketName)
    ? notPublic()
    : new S3Error(
        'NoSuchBucket',
        'No bucket of this name has a public object with this key. To read a private one, sign the request.',
      );

/** Returns the bucket of the caller's account that a request names; undefined where it has none. Throws AccessDenied. */
async function findReadable(
  { deps, caller }: Asking,
  bucketName: string,
): Promise<Bucket | undefined> {
  if (caller.kind !== 'key') return undefined;
  const bucket = await findOwnBucket({ deps, caller }, bucketName);
  const refusal = bucket && can(caller.principal, 'read-files', bucket);
  if (refusal) throw toRefusal(refusal);
  return bucket;
}

/**
 * Returns the bucket that people without a key of its account mean, and what it lets the caller do; undefined where there
 * is none.
 */
async function findStrange(
  { deps, caller }: Asking,
  name: string,
): Promise<{ bucket: Bucket | undefined; grants: Grants }> {
  const bucket = isId(name)
    ? await deps.known.byId(name)
    : await deps.buckets.s3.byPublicName(name);
  return { bucket, grants: bucket ? await findGrants(deps, bucket, caller) : NO_GRANTS };
}
