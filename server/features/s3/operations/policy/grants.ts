import { can } from '../../../access/can.ts';
import { NOBODY } from '../../../access/principal.ts';
import { type Bucket, parseS3Access } from '../../../buckets/service.ts';
import type { S3Caller } from '../../auth/types.ts';
import type { OperationDeps } from '../../context.ts';
import { isPublicPolicy, matchesPattern, type Policy } from './document.ts';

/** What others than the account of a bucket may do with it beside opening public objects. */
export type Grants = {
  /** Whether they may open the object at a key. */
  canRead: (key: string) => boolean;
  /** Whether they may list keys with a prefix. */
  canList: (prefix: string) => boolean;
  /** Whether they may know that there is the bucket, as it says that they may do some of it, also while that is blocked. */
  isKnown: boolean;
};

export const NO_GRANTS: Grants = { canRead: () => false, canList: () => false, isKnown: false };

/** Returns what the ACL and the policy of a bucket let a caller do whose account it is not. */
export async function findGrants(
  deps: Pick<OperationDeps, 'buckets' | 'clock'>,
  bucket: Bucket,
  caller: S3Caller,
): Promise<Grants> {
  const userId = accountOf(caller);
  const now = deps.clock();
  if (can(NOBODY, 'receive-bytes', { bucket, now })) return NO_GRANTS;
  const isListed = !can(NOBODY, 'list-public', { bucket, now });
  const { block } = parseS3Access(bucket);
  const policy = await findPolicy(deps, bucket);
  const isMeant = ({ principals }: Policy['reads'][number] | Policy['lists'][number]) =>
    principals === '*' || (userId !== null && principals.includes(userId));
  const named = [...(policy?.reads ?? []), ...(policy?.lists ?? [])].some(isMeant);
  const isRestricted = block?.RestrictPublicBuckets && policy && isPublicPolicy(policy);
  const reads = isRestricted ? [] : (policy?.reads.filter(isMeant) ?? []);
  const lists = isRestricted ? [] : (policy?.lists.filter(isMeant) ?? []);
  return {
    canRead: (key) => reads.some(({ keys }) => matchesPattern(keys, key)),
    canList: (prefix) =>
      isListed ||
      lists.some(({ prefixes }) => prefixes === null || matchesPattern(prefixes, prefix)),
    isKnown: bucket.lists_public === 1 || named,
  };
}

/**
 * Returns the account for which a caller acts; null for nobody's. A key that may only write, or is limited to some buckets of
 * its account, acts for nobody at those of others.
 */
function accountOf(caller: S3Caller): string | null {
  if (caller.kind !== 'key') return null;
  const { userId, access, bucketIds } = caller.principal;
  return access !== 'write' && bucketIds === null ? userId : null;
}

/** Returns the policy of a bucket; null for none. */
async function findPolicy(
  { buckets }: Pick<OperationDeps, 'buckets'>,
  bucket: Bucket,
): Promise<Policy | null> {
  const { hasPolicy } = parseS3Access(bucket);
  const document = hasPolicy ? await buckets.s3.findDocument(bucket.id, 'policy') : undefined;
  return document === undefined ? null : (JSON.parse(document) as PolicyDocument).policy;
}

/** What a bucket keeps of a policy: as it was sent, and what it allows. */
export type PolicyDocument = { text: string; policy: Policy };
