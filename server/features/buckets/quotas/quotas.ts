import { conflict, unauthorized } from '../../../errors.ts';
import { awaitAll } from '../../../platform/db/await-all.ts';
import type { Statement } from '../../../platform/db/batch.ts';
import type { Database, Executor, Tx } from '../../../platform/db/port.ts';
import {
  extendReservation,
  findReservation,
  reduceReservation,
  reservationsOf,
} from '../../../platform/storage/reservations-store.ts';
import { lockUser, ownStorageLimit } from '../../accounts/service.ts';
import type { AccountBuckets } from '../account-buckets-store.ts';
import { type QuotaLimits, requireBucket, requireUpload, storageLimitOf } from './quota-rules.ts';
import { lockReservations, reservationStatements } from './quota-store.ts';

/**
 * Keeps accounts within their limits. The bytes of an upload are reserved before they arrive, so that
 * concurrent uploads can't exceed a limit together. A reservation is a part of the pending delete that
 * every upload has until it becomes a file: it ends with the upload, however that ends. What
 * processing adds to a file is counted, but not limited.
 */
export class Quotas {
  constructor(
    private readonly deps: {
      database: Database;
      ofAccount: Pick<AccountBuckets, 'totals'>;
      limits: QuotaLimits;
      /** Whether an account has had any credit except the one of a new account. */
      hasAddedCredit: (db: Executor, userId: string) => Promise<boolean>;
    },
  ) {}

  /**
   * Returns the statements that reserve what an upload may store below a new prefix, and schedule its deletion.
   * Where a limit would be exceeded, they throw quota-exceeded.
   */
  async reservation(
    userId: string,
    { prefix, bytes, deleteAt }: { prefix: string; bytes: number; deleteAt: number },
  ): Promise<Statement[]> {
    const { database, limits } = this.deps;
    const { maxOpenUploads, maxOpenBytes } = limits;
    const sharedLimit = (await this.limitOf(database.db, userId, null))?.bytes ?? null;
    return reservationStatements(
      database,
      { prefix, bytes, deleteAt, userId, maxOpenUploads, maxOpenBytes, sharedLimit },
      () => this.refusal(userId, prefix, bytes),
    );
  }

  /** Returns why an upload was not accepted. */
  private async refusal(userId: string, prefix: string, bytes: number): Promise<unknown> {
    const { db } = this.deps.database;
    try {
      await this.requireUpload(db, userId, prefix, bytes, await ownStorageLimit(db, userId));
    } catch (error) {
      return error;
    }
    return conflict('Other uploads of the account have ended in the meantime. Try again.');
  }

  /** Extends a reservation to `bytes` where it is smaller. Throws quota-exceeded. */
  async extend(prefix: string, bytes: number): Promise<void> {
    const { database } = this.deps;
    await database.transaction(async (tx) => {
      const current = await findReservation(tx, prefix);
      if (!current || current.bytes >= bytes) return;
      await this.extendLocked(tx, prefix, bytes, current.userId);
    });
  }

  /** Adds to a reservation, which several requests may do at the same time. Throws quota-exceeded. */
  async add(prefix: string, bytes: number): Promise<void> {
    const { database } = this.deps;
    await database.transaction(async (tx) => {
      const first = await findReservation(tx, prefix);
      if (!first) return;
      await lockReservations(tx, database, first.userId);
      const current = await findReservation(tx, prefix);
      if (!current) return;
      await this.extendLocked(tx, prefix, current.bytes + bytes, current.userId);
    });
  }

  /** Takes off a reservation what was added to it in vain. */
  release(prefix: string, bytes: number): Promise<void> {
    return reduceReservation(this.deps.database.db, prefix, bytes);
  }

  private async extendLocked(tx: Tx, prefix: string, bytes: number, userId: string): Promise<void> {
    await lockReservations(tx, this.deps.database, userId);
    await this.requireUpload(tx, userId, prefix, bytes, await ownStorageLimit(tx, userId));
    await extendReservation(tx, prefix, bytes);
  }

  /**
   * Locks an account until the transaction ends. Throws unauthorized where it was banned or is being
   * deleted since its session was found, and quota-exceeded where it may not have another bucket.
   */
  async requireBucket(tx: Tx, userId: string): Promise<void> {
    const user = await lockUser(tx, userId);
    if (user?.status !== 'active') throw unauthorized();
    const { buckets } = await this.deps.ofAccount.totals(userId, tx);
    requireBucket(buckets, this.deps.limits);
  }

  /**
   * Returns how many bytes an account stores, how many its unfinished uploads have reserved, and its
   * limit, which is null where it has none.
   */
  async storageOf(userId: string) {
    const { db } = this.deps.database;
    // An upload that becomes a file in between counts twice, and not in neither.
    const { bytes: unfinished } = await reservationsOf(db, userId);
    const { bytes: stored } = await this.deps.ofAccount.totals(userId, db);
    const limit = await this.limitOf(db, userId, await ownStorageLimit(db, userId));
    return { stored, unfinished, limit: limit?.bytes ?? null };
  }

  private async requireUpload(
    db: Executor,
    userId: string,
    prefix: string,
    bytes: number,
    own: number | null,
  ) {
    const [open, { bytes: storedBytes }] = await awaitAll(
      reservationsOf(db, userId, prefix),
      this.deps.ofAccount.totals(userId, db),
    );
    const usage = { storedBytes, openUploads: open.count, openBytes: open.bytes };
    const limit = await this.limitOf(db, userId, own);
    requireUpload(usage, bytes, this.deps.limits, limit);
  }

  private async limitOf(db: Executor, userId: string, own: number | null) {
    const { limits, hasAddedCredit } = this.deps;
    // Every upload asks this.
    const canBeTrial = limits.trialMaxBytes !== null && (own ?? limits.maxBytes) === null;
    return storageLimitOf(own, limits, canBeTrial && !(await hasAddedCredit(db, userId)));
  }
}
