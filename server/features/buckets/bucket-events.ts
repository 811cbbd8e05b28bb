/** The topic on which changes of buckets are published, as `BucketEvent`. */
export const BUCKET_EVENTS = 'buckets';

/** A bucket's status, key or policy has changed, or the status of all buckets of an account. */
export type BucketEvent = { bucketId: string } | { userId: string };
