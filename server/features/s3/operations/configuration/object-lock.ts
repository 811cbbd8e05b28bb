import { versioningOf } from '../../../buckets/service.ts';
import type { BucketContext } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import type { S3Response } from '../../request.ts';

/*
 * No bucket locks its objects. Clients are told so by the codes that they know from buckets without a lock.
 */

/** Answers what asks for the retention or the legal hold of an object, or sets them. */
export async function refuseObjectLock(): Promise<S3Response> {
  throw new S3Error('InvalidRequest', 'The bucket has no object lock, so its objects have none.');
}

/** Answers what turns on the lock of a bucket, which could need one that keeps versions. */
export async function putObjectLock({ bucket }: BucketContext): Promise<S3Response> {
  if (versioningOf(bucket) !== 'Enabled') {
    throw new S3Error('InvalidBucketState', 'Only a bucket that keeps versions can have a lock.');
  }
  throw new S3Error('NotImplemented', 'Object lock is not supported by this server.');
}
