import { invalid } from '../../../errors.ts';
import type { BucketRow } from '../tables.ts';

/** What S3's configuration of public access says, by its elements. */
export const PUBLIC_ACCESS_FLAGS = [
  'BlockPublicAcls',
  'IgnorePublicAcls',
  'BlockPublicPolicy',
  'RestrictPublicBuckets',
] as const;
export type PublicAccessBlock = Record<(typeof PUBLIC_ACCESS_FLAGS)[number], boolean>;

/** Who owns objects, in the words of S3. Here it is always the account of the bucket. */
export const OBJECT_OWNERSHIPS = [
  'BucketOwnerEnforced',
  'BucketOwnerPreferred',
  'ObjectWriter',
] as const;
export type ObjectOwnership = (typeof OBJECT_OWNERSHIPS)[number];

/** What an S3 client has set about who may read a bucket. */
export type S3Access = {
  /** Whether everybody may list it. */
  isListed: boolean;
  block: PublicAccessBlock | null;
  ownership: ObjectOwnership | null;
  /** Whether it has a policy, which is one of its documents. */
  hasPolicy: boolean;
};

type AccessColumns = Pick<BucketRow, 'lists_public' | 'ignores_public' | 's3_access'>;

/** Returns what the columns of a bucket say. */
export function parseS3Access({
  lists_public,
  s3_access,
}: Pick<AccessColumns, 'lists_public' | 's3_access'>): S3Access {
  const kept: Partial<S3Access> = s3_access === null ? {} : JSON.parse(s3_access);
  const { block = null, ownership = null, hasPolicy = false } = kept;
  return { isListed: lists_public === 1, block, ownership, hasPolicy };
}

/**
 * Returns the columns of a bucket. An owner that is enforced ends all ACLs, and a public object is one by its ACL.
 */
export function formatS3Access({ isListed, block, ownership, hasPolicy }: S3Access): AccessColumns {
  const ignoresPublic = block?.IgnorePublicAcls === true || ownership === 'BucketOwnerEnforced';
  const isPlain = block === null && ownership === null && !hasPolicy;
  return {
    lists_public: isListed ? 1 : 0,
    ignores_public: ignoresPublic ? 1 : 0,
    s3_access: isPlain ? null : JSON.stringify({ block, ownership, hasPolicy }),
  };
}

const ALL_BLOCKED: PublicAccessBlock = {
  ...{ BlockPublicAcls: true, IgnorePublicAcls: true },
  ...{ BlockPublicPolicy: true, RestrictPublicBuckets: true },
};

/** What the dashboard says of the same. */
type Settings = { list_public?: boolean; block_public_access?: boolean };

/**
 * Returns what a bucket has once its owner has changed it in the dashboard. Public access that is not blocked any more is
 * possible, so nothing else ends it. Throws invalid where a list would be public and all public access is ended.
 */
export function changedAccess(before: S3Access, { list_public, block_public_access }: Settings) {
  const after = { ...before };
  if (block_public_access === true) after.block = ALL_BLOCKED;
  if (block_public_access === false) {
    after.block = null;
    if (after.ownership === 'BucketOwnerEnforced') after.ownership = null;
  }
  if (list_public !== undefined) after.isListed = list_public;
  if (list_public === true && after.ownership === 'BucketOwnerEnforced') {
    throw invalid('An S3 client has ended all ACLs of this bucket. Allow public access first.');
  }
  return after;
}

/** Whether nothing of a bucket is public: neither by ACLs nor by its policy. */
export function isPublicBlocked(row: AccessColumns): boolean {
  const { hasPolicy, block } = parseS3Access(row);
  return row.ignores_public === 1 && (!hasPolicy || block?.RestrictPublicBuckets === true);
}
