import { MINUTE } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import * as store from './charges-store.ts';

/** A round extends its lease after every batch, which takes far less time than this. */
const LEASE_TTL_MS = 5 * MINUTE;

/** The lease by which at most one process runs a round of charges. */
export class RoundLease {
  /**
   * The end of the lease that this process wrote last, in epoch milliseconds. By it the process
   * takes over its own round where the database became unavailable in the middle of it.
   */
  private until = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Acquires the lease. Returns false while another process holds it. */
  async acquire(): Promise<boolean> {
    const now = this.clock();
    const until = now + LEASE_TTL_MS;
    const isAcquired = await store.acquireLease(this.database.db, { now, until, own: this.until });
    if (isAcquired) this.until = until;
    return isAcquired;
  }

  extend(): Promise<void> {
    return this.set(this.clock() + LEASE_TTL_MS);
  }

  release(): Promise<void> {
    return this.set(0);
  }

  private async set(until: number): Promise<void> {
    await store.setLease(this.database.db, until);
    this.until = until;
  }
}
