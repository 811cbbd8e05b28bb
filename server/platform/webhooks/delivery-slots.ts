import { LRUCache } from 'lru-cache';

/**
 * Deliveries that run at the same time: in this process, for one bucket, and for a bucket whose endpoint
 * fails.
 */
const MAX_CONCURRENCY = 32;
const BUCKET_CONCURRENCY = 4;
const FAILING_CONCURRENCY = 1;
const MAX_FAILING = 1_000;

/**
 * Shares the slots for deliveries among the buckets. Deliveries to a dead or slow endpoint, which take
 * their full timeout, leave room for all others.
 */
export class DeliverySlots {
  private readonly running = new Map<string, number>();
  private readonly failing = new LRUCache<string, true>({ max: MAX_FAILING });
  private total = 0;

  hasRoom(): boolean {
    return this.total < MAX_CONCURRENCY;
  }

  /**
   * Returns the buckets for which no more deliveries can start now. Failing buckets together get half of
   * the slots.
   */
  crowded(): string[] {
    const full = [...this.running.keys()].filter((bucketId) => this.isFull(bucketId));
    const failed = [...this.running.keys()].filter((bucketId) => this.failing.has(bucketId));
    return failed.length < MAX_CONCURRENCY / 2
      ? full
      : [...new Set([...full, ...this.failing.keys()])];
  }

  take(bucketId: string): void {
    this.total += 1;
    this.running.set(bucketId, this.countOf(bucketId) + 1);
  }

  /** @param isTaken whether the endpoint accepted the delivery; null where nothing was sent */
  free(bucketId: string, isAccepted: boolean | null): void {
    this.total -= 1;
    const remaining = this.countOf(bucketId) - 1;
    if (remaining > 0) this.running.set(bucketId, remaining);
    else this.running.delete(bucketId);
    if (isAccepted) this.failing.delete(bucketId);
    else if (isAccepted === false) this.failing.set(bucketId, true);
  }

  private isFull(bucketId: string): boolean {
    const max = this.failing.has(bucketId) ? FAILING_CONCURRENCY : BUCKET_CONCURRENCY;
    return this.countOf(bucketId) >= max;
  }

  private countOf(bucketId: string): number {
    return this.running.get(bucketId) ?? 0;
  }
}
