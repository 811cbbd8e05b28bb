import type { Access } from '../../contract/wire.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import type { Locks } from '../../platform/locks/port.ts';
import type { RegionRouter } from '../../platform/region-routing.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import type { Bucket, Buckets } from '../buckets/service.ts';
import type { Files } from '../files/service.ts';
import type { Uploads } from '../uploads/service.ts';
import type { S3Caller } from './auth/types.ts';
import type { S3Error } from './errors.ts';
import type { KnownBuckets } from './known-buckets.ts';
import type { Grants } from './operations/policy/grants.ts';
import type { S3Request, S3Response } from './request.ts';

/** What the operations need. */
export type OperationDeps = {
  database: Database;
  clock: Clock;
  locks: Locks;
  objects: ObjectStore;
  regionRouter: RegionRouter;
  buckets: Buckets;
  /** The buckets that requests are about. */
  known: KnownBuckets;
  files: Files;
  uploads: Uploads;
  maxFileBytes: number;
  maxVideoBytes: number;
  /** Returns who has signed the policy of a form, by its fields. Throws S3Error. */
  authenticateForm: (
    fields: ReadonlyMap<string, string>,
  ) => Promise<Extract<S3Caller, { kind: 'key' }>>;
  /** Returns the callback that counts the bytes of a file that are sent. */
  counterOf: (bucketId: string, fileId: string) => (bytes: number) => void;
  /**
   * Fetches the object of a key at which a bucket has none from the source of the bucket, if it has one. Returns whether
   * it has come.
   * @param reader.id whom it counts for that the source does not have the object; null for nobody
   * @param reader.mayOpen whether they may open an object there with such access
   */
  fetchMissing: (
    bucket: Bucket,
    key: string,
    reader: { id: string | null; mayOpen: (access: Access) => boolean },
  ) => Promise<boolean>;
  /** Returns the address by which limits count who sends a request. */
  addressOf: (request: S3Request) => string;
  /** Checks the rules of a bucket's owner, also those about a file that is not null. Throws AppError. */
  requireRules: (request: S3Request, bucket: Bucket, fileId: string | null) => void;
};

/** A request whose signature is verified. */
export type AuthenticatedRequest = {
  request: S3Request;
  query: ReadonlyMap<string, string>;
  caller: S3Caller;
};

export type ServiceContext = AuthenticatedRequest & {
  deps: OperationDeps;
  caller: Extract<S3Caller, { kind: 'key' }>;
};
export type BucketContext = ServiceContext & {
  bucket: Bucket;
  /** The bucket's name or id, as the request has it. */
  bucketName: string;
};
export type ObjectContext = BucketContext & { key: string };
/** A request to list a bucket or to ask for it, which needs no key where everybody may. */
export type ListContext = Omit<BucketContext, 'caller'> & {
  /** Who has no key of the bucket's account is anonymous, also with a key of another one. */
  caller: S3Caller;
};
/** A request to read an object, which needs no key where the object is public. */
export type ReadContext = ListContext & {
  key: string;
  /** What the bucket lets its caller do, where that is not its account. */
  grants: Grants;
  /** Returns what is told to who may not see the object. */
  hidden: () => S3Error;
};

export const xmlResponse = (
  body: string,
  status = 200,
  headers: Record<string, string> = {},
): S3Response => ({
  status,
  headers: { 'content-type': 'application/xml', ...headers },
  body,
});

/** Returns a response without a body. */
export const emptyResponse = (
  status: number,
  headers: Record<string, string> = {},
): S3Response => ({
  status,
  headers,
  body: null,
});
