import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/port.ts';
import { growingTo } from '../growing-cache.ts';
import { newId } from '../ids.ts';
import { OWNER_CONCURRENCY, type WebhookAttemptSlots } from './attempt-slots.ts';
import * as due from './due-store.ts';
import type { WebhookAttemptRow } from './tables.ts';

const OWNER_BATCH_SIZE = 100;
const MAX_LAST_BUCKETS = 10_000;

/**
 * Decides whose delivery is next. Accounts take turns, one delivery each, and so do the buckets of an
 * account. The turns go on after the one that was last, so that a slot that becomes free goes to another.
 */
export class WebhookAttemptTurns {
  private lastOwner: string | null = null;
  private readonly lastBuckets = new LRUCache<string, string>(growingTo(MAX_LAST_BUCKETS));
  private batchesLeft = 0;

  constructor(
    private readonly deps: {
      database: Database;
      clock: Clock;
      slots: WebhookAttemptSlots;
      /** How long a claim lasts, in milliseconds. */
      leaseMs: number;
    },
  ) {}

  /**
   * Lets `claims` look at this many batches of accounts of which none can start, also while it runs. Where
   * the slots for prompt or for slow accounts are full, there can be any number of those.
   */
  extend(batches: number): void {
    this.batchesLeft = Math.max(this.batchesLeft, batches);
  }

  /**
   * Claims deliveries until nothing more is due or can start. Each takes its slot before the next is
   * claimed.
   */
  async *claims(): AsyncGenerator<WebhookAttemptRow> {
    const { database, clock, slots } = this.deps;
    try {
      let freed: number;
      do {
        freed = slots.freed;
        await due.markDueWebhookAttempts(database, clock());
        yield* this.rounds(freed);
      } while (slots.freed !== freed);
    } finally {
      this.batchesLeft = 0;
    }
  }

  /** Ends early where a slot has become free: it goes to the account after the one that was last. */
  private async *rounds(freed: number): AsyncGenerator<WebhookAttemptRow> {
    const { database, slots } = this.deps;
    let after = this.lastOwner;
    let isNewRound = false;
    for (;;) {
      const page = { after, limit: OWNER_BATCH_SIZE };
      const owners = await due.findDueOwners(database.db, page);
      if (isNewRound && slots.freed !== freed) return;
      let canStart = slots.openings();
      for (const owner of owners) {
        if (!canStart) return;
        after = owner;
        if (!canStart(owner)) continue;
        const row = await this.claimNext(owner);
        if (row) {
          this.lastOwner = owner;
          isNewRound = false;
          yield row;
        }
        canStart = slots.openings();
      }
      if (owners.length === OWNER_BATCH_SIZE) {
        this.batchesLeft -= 1;
        if (this.batchesLeft > 0) continue;
        this.lastOwner = after;
        return;
      }
      if (isNewRound) return;
      [after, isNewRound] = [null, true];
    }
  }

  /** Returns null where no delivery of the account is due to an endpoint that is free. */
  private async claimNext(owner: string): Promise<WebhookAttemptRow | null> {
    const { database, clock, leaseMs } = this.deps;
    const bucketId = await this.nextBucket(owner);
    if (bucketId === undefined) return null;
    this.lastBuckets.set(owner, bucketId);
    const now = clock();
    const claim = { owner, bucketId, token: newId(now), now, until: now + leaseMs };
    return due.claimWebhookAttempt(database, claim);
  }

  private async nextBucket(owner: string): Promise<string | undefined> {
    const { database, slots } = this.deps;
    const busy = slots.busyBuckets();
    const findFree = async (after: string | null) => {
      // One of so many is free: a delivery makes one bucket busy at most, and another one can start.
      const page = { owner, after, limit: OWNER_CONCURRENCY };
      const buckets = await due.findDueBuckets(database.db, page);
      return buckets.find((id) => !busy.includes(id));
    };
    const last = this.lastBuckets.get(owner) ?? null;
    return (await findFree(last)) ?? (last === null ? undefined : findFree(null));
  }
}
