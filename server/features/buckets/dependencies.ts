import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { Keys } from '../../platform/secrets/secrets.ts';
import type { BucketRow } from './tables.ts';
import type { HostCheck } from './validation.ts';

/**
 * Keeps the use of buckets over time, above this feature. It is told of each change in the change's
 * transaction.
 */
export type Meters = {
  stored(
    tx: Tx,
    bucketId: string,
    change: { fileId: string; before: number; bytes: number; isRemoved: boolean },
  ): Promise<void>;
  uploaded(tx: Tx, bucketId: string, bytes: number): Promise<void>;
  forgetFiles(tx: Tx, fileIds: string[]): Promise<void>;
  closed(tx: Tx, bucketId: string, stored: number): Promise<void>;
};

/** A bucket whose row is being deleted. */
export type ClosedBucket = Pick<BucketRow, 'id' | 'user_id' | 'name'>;

/** Charges for buckets, above this feature. */
export type Charges = {
  /** Throws payment-required. */
  requireCanCreateBucket(userId: string): Promise<void>;
  /** Locks the account. It comes first in the transaction that removes a bucket. */
  lockAccount(tx: Tx, userId: string): Promise<void>;
  /** Makes the last charge, once the meters of the bucket are closed. */
  closed(tx: Tx, bucket: ClosedBucket): Promise<void>;
};

export type BucketDependencies = {
  database: Database;
  keys: Keys;
  clock: Clock;
  events: Events;
  queue: Pick<Queue, 'add'>;
  /** Throws where a webhook must not lead. */
  checkHost: HostCheck;
  meters: Meters;
  charges: Charges;
  /** Bytes sent this month, by bucket; a bucket that has sent nothing may be missing. */
  bandwidthOf: (ids: string[]) => Promise<Map<string, number>>;
};
