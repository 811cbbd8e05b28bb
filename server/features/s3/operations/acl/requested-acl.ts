import type { Access } from '../../../../contract/wire.ts';
import { type Bucket, parseS3Access } from '../../../buckets/service.ts';
import { S3Error } from '../../errors.ts';

/** What gives others rights in the words of S3, of which this server knows the first. */
const PUBLIC_ACLS = ['public-read', 'public-read-write', 'authenticated-read'];
/** The owner of an object is the account of its bucket, which has all rights in each of these. */
const PRIVATE_ACLS = ['private', 'bucket-owner-full-control', 'bucket-owner-read'];

/** Returns whether an object is public. Throws InvalidArgument for an ACL that would be more or something else. */
export function parseAcl(acl: string | null): Access {
  if (acl === null || acl === '' || PRIVATE_ACLS.includes(acl)) return 'private';
  if (acl === 'public-read') return 'public';
  throw new S3Error('InvalidArgument', 'x-amz-acl must be private or public-read.', {
    ArgumentName: 'x-amz-acl',
    ArgumentValue: acl,
  });
}

type AccessOfBucket = Pick<Bucket, 'lists_public' | 's3_access'>;

/**
 * Throws where a bucket doesn't accept the ACL that the header of a request names: AccessDenied where it blocks public
 * ones, AccessControlListNotSupported where its owner has ended all ACLs.
 */
export function requireAcceptedAcl(bucket: AccessOfBucket, acl: string | null): void {
  if (acl === null || acl === '') return;
  const { block, ownership } = parseS3Access(bucket);
  if (ownership === 'BucketOwnerEnforced' && acl !== 'bucket-owner-full-control') {
    throw noAcls();
  }
  if (block?.BlockPublicAcls && PUBLIC_ACLS.includes(acl)) throw blocked();
}

/** Throws the same for an ACL that is set by a request of its own. */
export function requireSettableAcl(bucket: AccessOfBucket, access: Access): void {
  const { block, ownership } = parseS3Access(bucket);
  if (ownership === 'BucketOwnerEnforced') throw noAcls();
  if (block?.BlockPublicAcls && access === 'public') throw blocked();
}

const noAcls = () =>
  new S3Error(
    'AccessControlListNotSupported',
    'The bucket does not allow ACLs, as its object ownership is BucketOwnerEnforced.',
  );

const blocked = () =>
  new S3Error('AccessDenied', 'The bucket blocks public ACLs (BlockPublicAcls).');
