import type { Clock } from '../../platform/clock.ts';
import type { Statement } from '../../platform/db/batch.ts';
import type { Database, Executor, Tx } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import type { MailQueue } from '../../platform/mail/enqueue-mail.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { Keys } from '../../platform/secrets/secrets.ts';
import type { QuotaLimits } from './quotas/quota-rules.ts';
import type { BucketRow } from './tables.ts';
import type { HostCheck } from './validation.ts';

/** By how many bytes a file grew, and when it was created (epoch milliseconds). */
type MeteredChange = { fileId: string; createdAt: number; bytes: number; isCurrent?: boolean };
type StoredChange = MeteredChange & { uploaded: number; files: number };
type MeteredBucket = Pick<BucketRow, 'id' | 'user_id'>;

/**
 * Counts what buckets have, and meters their usage. It is a feature above this one, called in the transaction of each
 * change, which keeps the bucket from being deleted.
 */
export type Meters = {
  additions(db: Executor, bucket: MeteredBucket, change: StoredChange): Statement[];
  stored(tx: Tx, bucket: MeteredBucket, change: StoredChange): Promise<void>;
  removed(tx: Tx, bucket: MeteredBucket, file: MeteredChange): Promise<void>;
  currentChanged(tx: Tx, bucket: MeteredBucket, file: Required<MeteredChange>): Promise<void>;
  purged(tx: Tx, bucket: MeteredBucket, files: { fileIds: string[]; bytes: number }): Promise<void>;
  forgetFiles(tx: Tx, bucket: MeteredBucket, fileIds: string[]): Promise<void>;
  fold(tx: Tx, bucketId: string): Promise<void>;
  closed(tx: Tx, bucket: MeteredBucket, stored: number): Promise<void>;
};

/** A bucket whose row is being deleted. */
export type ClosedBucket = Pick<BucketRow, 'id' | 'user_id' | 'name'>;

/** Charges for buckets. It is a feature above this one. */
export type Charges = {
  /** Locks the account until the transaction ends. Throws payment-required. */
  requireCanCreateBucket(tx: Tx, userId: string): Promise<void>;
  /** Keeps the name of a bucket whose row is being deleted, for the charge of its last day. */
  closed(tx: Tx, bucket: ClosedBucket): Promise<void>;
};

export type BucketDeps = {
  database: Database;
  keys: Keys;
  clock: Clock;
  events: Events;
  queue: Pick<Queue, 'add' | 'wake'>;
  enqueueMail: MailQueue;
  appUrl: string;
  /** Throws invalid for a URL that webhooks must not call. */
  checkHost: HostCheck;
  meters: Meters;
  charges: Charges;
  limits: QuotaLimits;
  /** How many days the buckets of a banned account are kept. */
  banRetentionDays: number;
  /** Whether an account has had any credit except the one of a new account. */
  hasAddedCredit: (db: Executor, userId: string) => Promise<boolean>;
  /** Returns the bytes sent this month by bucket. A bucket that has sent nothing may be missing. */
  bandwidthOf: (ids: string[]) => Promise<Map<string, number>>;
  /** Returns the bytes sent this day, in the same way. */
  bandwidthToday: (ids: string[]) => Promise<Map<string, number>>;
};
