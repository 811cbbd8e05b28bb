import { LRUCache } from 'lru-cache';

/** Deliveries that run at once: of this process, of one bucket, and of one whose endpoint fails. */
const MAX_CONCURRENCY = 32;
const BUCKET_CONCURRENCY = 4;
const FAILING_CONCURRENCY = 1;
const MAX_FAILING = 1_000;

/**
 * Shares the deliveries that may run at once among the buckets, so that those to a dead or slow
 * endpoint, which take their full time, leave room for all others.
 */
export class DeliverySlots {
  private readonly taken = new Map<string, number>();
  private readonly failing = new LRUCache<string, true>({ max: MAX_FAILING });
  private total = 0;

  hasRoom(): boolean {
    return this.total < MAX_CONCURRENCY;
  }

  /** Buckets of which no more deliveries may begin now. Failing ones together get half of the room. */
  crowded(): string[] {
    const full = [...this.taken.keys()].filter((bucketId) => this.isFull(bucketId));
    const failed = [...this.taken.keys()].filter((bucketId) => this.failing.has(bucketId));
    return failed.length < MAX_CONCURRENCY / 2
      ? full
      : [...new Set([...full, ...this.failing.keys()])];
  }

  take(bucketId: string): void {
    this.total += 1;
    this.taken.set(bucketId, this.countOf(bucketId) + 1);
  }

  /** `isTaken` is whether the endpoint took what it was sent; null where nothing was sent. */
  free(bucketId: string, isTaken: boolean | null): void {
    this.total -= 1;
    const left = this.countOf(bucketId) - 1;
    if (left > 0) this.taken.set(bucketId, left);
    else this.taken.delete(bucketId);
    if (isTaken) this.failing.delete(bucketId);
    else if (isTaken === false) this.failing.set(bucketId, true);
  }

  private isFull(bucketId: string): boolean {
    const max = this.failing.has(bucketId) ? FAILING_CONCURRENCY : BUCKET_CONCURRENCY;
    return this.countOf(bucketId) >= max;
  }

  private countOf(bucketId: string): number {
    return this.taken.get(bucketId) ?? 0;
  }
}
