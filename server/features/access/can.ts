import type { Access, BucketStatus } from '../../contract/wire.ts';
import {
  areValidClaims,
  type Principal,
  type S3KeyPrincipal,
  type TokensOfBucket,
  type Uploader,
  uploaderName,
} from './principal.ts';

/** Why something is refused. */
export type Refusal =
  /** Nobody has proved who they are. */
  | 'unauthenticated'
  /** The credential is valid, but not enough. */
  | 'forbidden'
  /** The principal must not learn that it exists. */
  | 'hidden'
  /** A write token is for uploads only. */
  | 'upload-only'
  /** The API key is for something else. */
  | 'read-only'
  | 'write-only'
  | 'deleting'
  | 'banned'
  /** The balance of the bucket's account is below zero. */
  | 'unpaid'
  | 'suspended'
  | 'limit-reached'
  | 'token-missing'
  | 'token-invalid';

/** A bucket, as far as it decides who may do what. */
export type BucketResource = { id: string; user_id: string; status: BucketStatus };

/** A file in its bucket at a moment in epoch milliseconds. */
export type FileResource = {
  file: { id: string; path: string; access: Access; expires_at: number | null };
  bucket: {
    id: string;
    status: BucketStatus;
    delivery_until: number | null;
    delivery_stopped_until: number | null;
    ignores_public: number;
  } & TokensOfBucket;
  now: number;
};

/**
 * Whether everybody may open a file: it is public, and its bucket doesn't say that public files are private nevertheless.
 */
export const isPublic = (
  { access }: Pick<FileResource['file'], 'access'>,
  { ignores_public }: Pick<FileResource['bucket'], 'ignores_public'>,
): boolean => access === 'public' && ignores_public === 0;

/** What can be done, each with what it is done to. */
type Resources = {
  /** To see and change everything on the server. */
  administer: null;
  /** To hear of the events of a user's files. */
  'receive-events': { userId: string };
  /** To see a bucket with its settings, and to change them. */
  'view-bucket': BucketResource;
  'change-bucket': BucketResource;
  /** To change those settings of a bucket that S3 clients know. */
  'configure-bucket': BucketResource;
  /** To list the files of a bucket, and to create its read tokens. */
  'read-files': BucketResource;
  /** To delete the files of a bucket, and to create its write tokens. */
  'write-files': BucketResource;
  /** To send bytes to a bucket, and to see and cancel uploads to it. */
  upload: BucketResource;
  'view-uploads': BucketResource;
  /** To go on with one upload, or to cancel it. */
  'continue-upload': {
    upload: { bucket_id: string; uploader: string };
    bucket: Pick<BucketResource, 'id'>;
  };
  /** To open a file, with all of its objects and transforms. */
  'open-file': FileResource;
  /** To receive bytes of a bucket's files, whoever may open them. */
  'receive-bytes': Pick<FileResource, 'bucket' | 'now'>;
  /** To list a bucket without a key of its account. */
  'list-public': { bucket: FileResource['bucket'] & { lists_public: number }; now: number };
  /** To list the buckets of an account for S3 clients, and to create others. */
  'list-buckets': { userId: string };
  'create-bucket': { userId: string };
};
export type Action = keyof Resources;

type Rules = {
  [Name in Action]: (principal: Principal, resource: Resources[Name]) => Refusal | null;
};

/**
 * Decides whether a principal may do something. It is the only place that does. An action of a bucket by
 * somebody who has nothing to do with it is hidden, so that its existence stays unknown.
 * @returns null where it may, else the first reason why not
 */
export const can = <Name extends Action>(
  principal: Principal,
  action: Name,
  resource: Resources[Name],
): Refusal | null => RULES[action](principal, resource);

const RULES: Rules = {
  administer: (principal) =>
    principal.kind !== 'session' ? 'unauthenticated' : principal.isAdmin ? null : 'forbidden',
  'receive-events': (principal, { userId }) =>
    principal.kind !== 'session'
      ? 'unauthenticated'
      : principal.userId === userId
        ? null
        : 'forbidden',
  'view-bucket': requireOwner,
  'change-bucket': (principal, bucket) => requireOwner(principal, bucket) ?? requireStaying(bucket),
  'configure-bucket': (principal, bucket) =>
    requireManager(principal, bucket, 'write') ?? requireWholeAccount(principal),
  'read-files': (principal, bucket) => requireManager(principal, bucket, 'read'),
  'write-files': (principal, bucket) => requireManager(principal, bucket, 'write'),
  upload: (principal, bucket) =>
    requireMember(principal, bucket, 'write') ??
    requireStaying(bucket) ??
    (bucket.status === 'suspended' ? 'unpaid' : requireUnbanned(bucket)),
  'view-uploads': (principal, bucket) =>
    requireMember(principal, bucket, 'write') ?? requireStaying(bucket) ?? requireUnbanned(bucket),
  'continue-upload': (principal, { upload, bucket }) =>
    isUploader(principal) &&
    upload.bucket_id === bucket.id &&
    upload.uploader === uploaderName(principal)
      ? null
      : 'hidden',
  'open-file': requireOpen,
  'receive-bytes': requireDelivered,
  'list-public': (principal, { bucket, now }) =>
    requireDelivered(principal, { bucket, now }) ??
    (bucket.lists_public === 1 && bucket.ignores_public === 0 ? null : 'hidden'),
  'list-buckets': (principal, { userId }) =>
    principal.kind !== 's3-key' ? 'unauthenticated' : principal.userId === userId ? null : 'hidden',
  'create-bucket': requireCreator,
};

const isUploader = (principal: Principal): principal is Uploader =>
  ['session', 'api-key', 's3-key', 'write-token'].includes(principal.kind);

/** A bucket's settings are its owner's alone. */
function requireOwner(principal: Principal, bucket: BucketResource): Refusal | null {
  if (principal.kind !== 'session') return 'unauthenticated';
  return principal.userId === bucket.user_id ? null : 'hidden';
}

/** Those who may use the files of the bucket, except write tokens, which are for uploads only. */
const requireManager = (
  principal: Principal,
  bucket: BucketResource,
  access: 'read' | 'write',
): Refusal | null =>
  requireMember(principal, bucket, access) ??
  (principal.kind === 'write-token' ? 'upload-only' : null) ??
  requireStaying(bucket) ??
  (principal.kind === 'session' ? null : requireUnbanned(bucket));

/** The owner, an API key of the bucket or an S3 key of its account with the scope for it, or a write token. */
function requireMember(
  principal: Principal,
  bucket: BucketResource,
  access: 'read' | 'write',
): Refusal | null {
  switch (principal.kind) {
    case 'session':
      return principal.userId === bucket.user_id ? null : 'hidden';
    case 'api-key':
      if (principal.bucketId !== bucket.id) return 'hidden';
      if (principal.scope === 'read-write' || principal.scope === access) return null;
      return principal.scope === 'read' ? 'read-only' : 'write-only';
    case 's3-key':
      if (!opensBucket(principal, bucket)) return 'hidden';
      if (principal.access === 'both' || principal.access === access) return null;
      return principal.access === 'read' ? 'read-only' : 'write-only';
    case 'write-token':
      return principal.claims.bucketId === bucket.id ? null : 'unauthenticated';
    default:
      return 'unauthenticated';
  }
}

/**
 * Settings protect files from who may only write them, such as the program of a backup: only a key that may do all that
 * the owner may with files changes them.
 */
function requireWholeAccount(principal: Principal): Refusal | null {
  if (principal.kind === 'session') return null;
  if (principal.kind !== 's3-key') return 'forbidden';
  if (principal.access === 'write') return 'write-only';
  return principal.bucketIds === null ? null : 'forbidden';
}

const opensBucket = ({ userId, bucketIds }: S3KeyPrincipal, bucket: BucketResource): boolean =>
  userId === bucket.user_id && (bucketIds === null || bucketIds.includes(bucket.id));

const requireStaying = ({ status }: BucketResource): Refusal | null =>
  status === 'deleting' ? 'deleting' : null;

/** A banned bucket accepts nothing, and its keys and tokens open nothing; its owner still manages its files. */
const requireUnbanned = ({ status }: BucketResource): Refusal | null =>
  status === 'banned' ? 'banned' : null;

/** Whether a suspended bucket is not delivered any more, until the account is topped up. */
export const isSuspended = (
  { delivery_until, status }: FileResource['bucket'],
  now: number,
): boolean => status === 'suspended' && delivery_until !== null && now >= delivery_until;

/** A key of some buckets can't create another one, which it could not open. */
function requireCreator(principal: Principal, { userId }: { userId: string }): Refusal | null {
  if (principal.kind === 'session') return principal.userId === userId ? null : 'hidden';
  if (principal.kind !== 's3-key') return 'unauthenticated';
  if (principal.userId !== userId) return 'hidden';
  if (principal.access === 'read') return 'read-only';
  return principal.bucketIds === null ? null : 'forbidden';
}

function requireDelivered(
  _principal: Principal,
  { bucket, now }: Pick<FileResource, 'bucket' | 'now'>,
): Refusal | null {
  if (bucket.status === 'deleting' || bucket.status === 'banned') return 'hidden';
  if (isSuspended(bucket, now)) return 'suspended';
  return now < (bucket.delivery_stopped_until ?? 0) ? 'limit-reached' : null;
}

/** Whether the files of a bucket are delivered comes before what a file or a token says. */
function requireOpen(principal: Principal, { file, bucket, now }: FileResource): Refusal | null {
  const undelivered = requireDelivered(principal, { bucket, now });
  if (undelivered) return undelivered;
  if (file.expires_at !== null && now >= file.expires_at) return 'hidden';
  if (isPublic(file, bucket)) return null;
  if (principal.kind === 'nobody') return 'token-missing';
  if (principal.kind !== 'read-token') return 'token-invalid';
  const { claims } = principal;
  const isGranted =
    areValidClaims(claims, bucket, now) &&
    (claims.fileId === null || claims.fileId === file.id) &&
    (claims.prefix === null || file.path.startsWith(claims.prefix));
  return isGranted ? null : 'token-invalid';
}
