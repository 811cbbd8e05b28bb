import { LRUCache } from 'lru-cache';
import { SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { growingTo } from '../growing-cache.ts';

/** Deliveries of prompt accounts, of slow ones, and of both that run at the same time in this process. */
const MAX_PROMPT = 32;
const MAX_SLOW = 32;
const MAX_RUNNING = 128;
/** Deliveries of one account, and those to one slow endpoint. */
export const OWNER_CONCURRENCY = 4;
const SLOW_ENDPOINT_CONCURRENCY = 1;
/** An endpoint that has not answered after this time is slow. One that fails counts as slow, too. */
const SLOW_AFTER_MS = SECOND;
const MAX_SLOW_KEYS = 10_000;

type Receiver = { owner: string; bucket_id: string };
/** What a running delivery holds. */
export type Slot = Receiver & { startedAt: number };

/**
 * Shares the slots for deliveries. An account has a few of them, however many buckets it has. As soon as
 * one of its deliveries runs for a second, or fails, all of them count as slow, and slow deliveries have
 * slots of their own. So however many accounts keep their deliveries waiting, those of other accounts start
 * within about a second, and an endpoint that never answers delays other slow accounts at most.
 */
export class WebhookAttemptSlots {
  private readonly running = new Set<Slot>();
  /** The accounts and buckets whose last delivery was slow or failed. */
  private readonly slow = new LRUCache<string, true>(growingTo(MAX_SLOW_KEYS));

  /** How many slots have become free so far. */
  freed = 0;

  constructor(private readonly clock: Clock) {}

  /** Whether a delivery of this account can start now. */
  canStart(owner: string): boolean {
    return this.openings()?.(owner) ?? false;
  }

  /**
   * Returns a function that tells whether a delivery of an account could start now, for looking at many
   * accounts until one of them starts. Returns null where no account's could.
   */
  openings(): ((owner: string) => boolean) | null {
    const slots = [...this.running];
    const overdue = new Set(slots.filter((slot) => this.isOverdue(slot)).map((slot) => slot.owner));
    const isSlow = (owner: string) => overdue.has(owner) || this.slow.has(owner);
    const counts = Map.groupBy(slots, (slot) => slot.owner);
    const slow = slots.filter((slot) => isSlow(slot.owner)).length;
    const isSlowOpen = slow < MAX_SLOW;
    const isPromptOpen = slots.length - slow < MAX_PROMPT;
    if (slots.length >= MAX_RUNNING || !(isSlowOpen || isPromptOpen)) return null;
    return (owner) =>
      (counts.get(owner)?.length ?? 0) < OWNER_CONCURRENCY &&
      (isSlow(owner) ? isSlowOpen : isPromptOpen);
  }

  /** Returns the buckets for which no more deliveries can start now, whatever their account has. */
  busyBuckets(): string[] {
    const counts = new Map<string, number>();
    for (const { bucket_id } of this.running)
      counts.set(bucket_id, (counts.get(bucket_id) ?? 0) + 1);
    return [...counts].flatMap(([id, count]) =>
      this.slow.has(id) && count >= SLOW_ENDPOINT_CONCURRENCY ? [id] : [],
    );
  }

  take({ owner, bucket_id }: Receiver): Slot {
    const slot = { owner, bucket_id, startedAt: this.clock() };
    this.running.add(slot);
    return slot;
  }

  /** @param isAccepted whether the endpoint accepted the delivery; null where nothing was sent */
  free(slot: Slot, isAccepted: boolean | null): void {
    this.running.delete(slot);
    this.freed += 1;
    if (isAccepted === null) return;
    const isPrompt = isAccepted && !this.isOverdue(slot);
    for (const key of [slot.owner, slot.bucket_id]) {
      if (isPrompt) this.slow.delete(key);
      else this.slow.set(key, true);
    }
  }

  private isOverdue({ startedAt }: Slot): boolean {
    return this.clock() - startedAt >= SLOW_AFTER_MS;
  }
}
