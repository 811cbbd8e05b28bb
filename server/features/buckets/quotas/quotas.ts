import type { Database, Tx } from '../../../platform/db/port.ts';
import {
  extendReservation,
  findReservation,
  reservationsOf,
  scheduleDelete,
} from '../../../platform/storage/pending-deletes-store.ts';
import { lockUser } from '../../accounts/service.ts';
import type { AccountBuckets } from '../account-buckets-store.ts';
import { type QuotaLimits, requireBucket, requireUpload } from './quota-rules.ts';

/**
 * Keeps accounts within their limits. The bytes of an upload are reserved before they arrive, so that
 * concurrent uploads can't exceed a limit together. A reservation is a column of the pending delete
 * that every upload has until it becomes a file: it ends with the upload, however that ends.
 */
export class Quotas {
  constructor(
    private readonly deps: {
      database: Database;
      ofAccount: Pick<AccountBuckets, 'totals'>;
      limits: QuotaLimits;
    },
  ) {}

  /**
   * Reserves what an upload may store below a prefix, and schedules its deletion. Throws
   * quota-exceeded.
   */
  async reserve(
    tx: Tx,
    userId: string,
    { prefix, bytes, deleteAt }: { prefix: string; bytes: number; deleteAt: number },
  ): Promise<void> {
    await lockUser(tx, userId);
    requireUpload(await reservationsOf(tx, userId), bytes, this.deps.limits);
    await scheduleDelete(tx, prefix, deleteAt, { userId, bytes });
  }

  /** Extends a reservation to `bytes` where it is smaller. Throws quota-exceeded. */
  async extend(prefix: string, bytes: number): Promise<void> {
    await this.deps.database.transaction(async (tx) => {
      const current = await findReservation(tx, prefix);
      if (!current || current.bytes >= bytes) return;
      await lockUser(tx, current.userId);
      const others = await reservationsOf(tx, current.userId, prefix);
      requireUpload(others, bytes, this.deps.limits);
      await extendReservation(tx, prefix, bytes);
    });
  }

  /** Locks an account until the transaction ends. Throws quota-exceeded where it may not have another bucket. */
  async requireBucket(tx: Tx, userId: string): Promise<void> {
    await lockUser(tx, userId);
    const { buckets } = await this.deps.ofAccount.totals(userId, tx);
    requireBucket(buckets, this.deps.limits);
  }
}
