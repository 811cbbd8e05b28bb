import { REGIONS, type Region } from '../../../contract/regions.ts';
import { AppError } from '../../../errors.ts';
import { isId } from '../../../platform/ids.ts';
import { isS3Name } from '../../../platform/s3-names.ts';
import { can } from '../../access/can.ts';
import { actorOf } from '../../access/principal.ts';
import { type Bucket, parseS3Access, type S3Access } from '../../buckets/service.ts';
import type { BucketContext, ServiceContext } from '../context.ts';
import { emptyResponse, xmlResponse } from '../context.ts';
import { S3Error } from '../errors.ts';
import { noSuchBucket, toRefusal } from '../refusals.ts';
import type { S3Response } from '../request.ts';
import { parseLongXml, textOf } from '../xml/parse.ts';
import { writeXml } from '../xml/write.ts';
import { parseAcl } from './acl/requested-acl.ts';
import { parseOwnership, withOwnership } from './configuration/public-access.ts';
import { readText } from './read-text.ts';

type Named = Pick<ServiceContext, 'deps' | 'caller'>;

/**
 * Returns the bucket of an account that has a name or an id. Throws NoSuchBucket, also for a bucket of another
 * account and for one that is being deleted.
 */
export async function findBucket(context: Named, name: string): Promise<Bucket> {
  const bucket = await findOwnBucket(context, name);
  if (!bucket) throw noSuchBucket();
  return bucket;
}

/** Returns the same; undefined where there is none. */
export async function findOwnBucket(
  { deps, caller }: Named,
  name: string,
): Promise<Bucket | undefined> {
  const { userId } = caller.principal;
  const bucket = isId(name) ? await deps.known.byId(name) : await deps.known.byS3Name(userId, name);
  const isOwn = bucket?.user_id === userId && bucket.status !== 'deleting';
  return isOwn ? bucket : undefined;
}

export async function headBucket({ bucket }: Pick<BucketContext, 'bucket'>): Promise<S3Response> {
  return emptyResponse(200, { 'x-amz-bucket-region': locationOf(bucket) });
}

export async function getBucketLocation({ bucket }: BucketContext): Promise<S3Response> {
  const location = bucket.region === null ? '' : locationOf(bucket);
  // The text is that of the root element itself.
  return xmlResponse(writeXml('LocationConstraint', []).replace('></', `>${location}</`));
}

const DEFAULT_LOCATION = 'us-east-1';

const locationOf = ({ region }: Bucket): string => region?.toLowerCase() ?? DEFAULT_LOCATION;

/**
 * Creates a bucket with a name. Throws BucketAlreadyOwnedByYou where the account has one of this name, unless both are
 * in no region of their own and it is as public as the request says.
 */
export async function createBucket(context: ServiceContext, name: string): Promise<S3Response> {
  const { deps, caller } = context;
  const { principal } = caller;
  const { userId } = principal;
  const refusal = can(principal, 'create-bucket', { userId });
  if (refusal) throw toRefusal(refusal);
  const access = parseAccess(context.request.headers);
  const region = await parseRegion(await readText(context));
  if (!isS3Name(name)) {
    throw new S3Error(
      'InvalidBucketName',
      'A bucket name has 3 to 63 lower-case letters, digits, hyphens and dots.',
      { BucketName: name },
    );
  }
  const taken = () =>
    new S3Error('BucketAlreadyOwnedByYou', 'The account has a bucket of this name already.', {
      BucketName: name,
    });
  const created = emptyResponse(200, { location: `/${name}` });
  const owned = await deps.buckets.byS3Name(userId, name);
  if (owned) {
    // As in S3's region us-east-1, so that a program can create its bucket each time it starts.
    const isThere = owned.status !== 'deleting' && owned.region === null && region === null;
    if (isThere && hasAccess(owned, context.request.headers, access)) return created;
    throw taken();
  }
  try {
    const form = { name, region, s3Name: name, s3Access: access };
    await deps.buckets.create(userId, form, undefined, actorOf(principal));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'conflict') throw taken();
    if (error.code === 'quota-exceeded') throw new S3Error('TooManyBuckets', error.text);
    throw error;
  }
  return created;
}

/** Returns who may read a new bucket by the headers of a request. Throws for what would give others more than its list. */
function parseAccess(headers: Headers): S3Access {
  const refused = [...headers.keys()].find((name) => name.startsWith('x-amz-grant-'));
  const hasLock = headers.get('x-amz-bucket-object-lock-enabled')?.toLowerCase() === 'true';
  if (refused !== undefined || hasLock) {
    const what = refused ?? 'x-amz-bucket-object-lock-enabled';
    throw new S3Error('NotImplemented', `The header ${what} is not supported.`);
  }
  const isListed = parseAcl(headers.get('x-amz-acl')) === 'public';
  const ownership = headers.get('x-amz-object-ownership');
  const access = { isListed, block: null, ownership: null, hasPolicy: false };
  return ownership === null ? access : withOwnership(access, parseOwnership(ownership));
}

/** Whether a bucket has what the headers of a request say of its access. What they don't say may be otherwise. */
function hasAccess(bucket: Bucket, headers: Headers, { isListed, ownership }: S3Access): boolean {
  const current = parseS3Access(bucket);
  return (
    (!headers.get('x-amz-acl') || isListed === current.isListed) &&
    (ownership === null || ownership === current.ownership)
  );
}

/** Returns the region of a LocationConstraint; null for the server's default, as which unknown ones count. */
async function parseRegion(body: string): Promise<Region | null> {
  if (body === '') return null;
  const root = await parseLongXml(body);
  const constraint = textOf(root, 'LocationConstraint')?.trim().toUpperCase() ?? '';
  return Object.hasOwn(REGIONS, constraint) ? (constraint as Region) : null;
}

/**
 * Deletes a bucket in which nothing is: also no earlier version, and nothing in the trash, which a person could still
 * restore.
 */
export async function deleteBucket({ deps, caller, bucket }: BucketContext): Promise<S3Response> {
  const { database, buckets, files } = deps;
  const actor = actorOf(caller.principal);
  await database.transaction(async (tx) => {
    if (!(await buckets.contents.lock(tx, bucket.id))) throw noSuchBucket();
    if (await files.hasAny(tx, bucket.id)) {
      throw new S3Error(
        'BucketNotEmpty',
        'The bucket is not empty. Delete its objects, earlier versions and trash first.',
        { BucketName: bucket.id },
      );
    }
    await buckets.deletion.start(tx, bucket.id, actor);
  });
  await buckets.deletion.announce({ bucketId: bucket.id });
  return emptyResponse(204);
}
