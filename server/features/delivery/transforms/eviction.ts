import { MINUTE, SECOND } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import { forEachConcurrent } from '../../../platform/concurrency.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import { scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import type { Files } from '../../files/service.ts';
import * as store from './store.ts';
import type { TransformRow } from './tables.ts';

/**
 * A request that has just found a generated image may still open it, so the object stays longer
 * than any cache remembers its key.
 */
const DELETE_GRACE_MS = 20 * SECOND;
/** Uses within this time count as one. */
const TOUCH_INTERVAL_MS = MINUTE;
/** More uses than this between two rounds are not stored; their images may be evicted earlier. */
const MAX_NOTED_USES = 10_000;
const BATCH_SIZE = 100;
const DROP_CONCURRENCY = 4;
/** How often the total is read, to which other processes add too. */
const TOTAL_INTERVAL_MS = MINUTE;
/** How often the policies of all buckets are checked, in case an event was lost. */
const POLICY_INTERVAL_MS = 10 * MINUTE;
/** Changes of more buckets between two rounds count as a change of all. */
const MAX_CHANGED_BUCKETS = 100;
/**
 * An eviction goes on until so much of the limit is used, so that the next image does not start
 * another one.
 */
const TARGET_SHARE = 0.95;

/** Another process has deleted the image in the meantime. */
class AlreadyDeletedError extends Error {
  override name = 'AlreadyDeletedError';
}

/**
 * Keeps the generated images within a number of bytes, and evicts those that were not used for
 * longest.
 */
export class Eviction {
  private readonly usedIds = new Set<string>();
  /** The bytes when the total was last read, with what this process has added since. */
  private totalBytes = 0;
  private readAt = Number.NEGATIVE_INFINITY;
  /** The buckets whose policy may have changed; null stands for all. */
  private changedBuckets: Set<string> | null = null;
  private checkedAt = Number.NEGATIVE_INFINITY;
  private shrinking: Promise<void> | null = null;
  private isStopping = false;

  constructor(
    private readonly deps: {
      database: Database;
      clock: Clock;
      files: Pick<Files, 'addStoredBytes'>;
      maxBytes: number;
      onError: (error: unknown) => void;
    },
  ) {}

  /**
   * Deletes a generated image, in the transaction that updates the file's bytes. Throws
   * AlreadyGone.
   */
  async remove(tx: Tx, image: TransformRow): Promise<void> {
    const { files, clock } = this.deps;
    const { id, file_id, bucket_id, bytes, prefix } = image;
    // The file's row is locked first, as a deletion of the file does: in the other order, the two
    // transactions could deadlock.
    const hasFile = await files.addStoredBytes(tx, { id: file_id, bucket_id }, -bytes);
    if (!hasFile || !(await store.deleteTransform(tx, id))) throw new AlreadyDeletedError();
    await scheduleDelete(tx, prefix, clock() + DELETE_GRACE_MS);
  }

  /** Deletes a generated image in a transaction of its own, unless it is deleted already. */
  async drop(image: TransformRow): Promise<void> {
    try {
      await this.deps.database.transaction((tx) => this.remove(tx, image));
    } catch (error) {
      if (!(error instanceof AlreadyDeletedError)) throw error;
    }
  }

  /** Notes that an image was requested. The next round stores it in the row. */
  touch(row: { id: string; used_at: number }): void {
    const isDue = this.deps.clock() - row.used_at >= TOUCH_INTERVAL_MS;
    if (isDue && this.usedIds.size < MAX_NOTED_USES) this.usedIds.add(row.id);
  }

  /** Counts a new image, and starts an eviction when there are too many bytes. */
  added(bytes: number): void {
    this.totalBytes += bytes;
    if (this.totalBytes > this.deps.maxBytes) void this.shrinkOnce().catch(this.deps.onError);
  }

  /** Evicts the excess, and all images of buckets whose transforms are turned off. */
  async round(): Promise<void> {
    const { database, clock, maxBytes } = this.deps;
    await this.saveUses();
    if (clock() - this.readAt >= TOTAL_INTERVAL_MS) {
      this.readAt = clock();
      this.totalBytes = await store.totalBytes(database.db);
    }
    // A running eviction has already subtracted what it deletes.
    if (this.shrinking || this.totalBytes > maxBytes) await this.shrinkOnce();
    await this.dropUnwanted();
  }

  /** Notes that a bucket, or any with null, may have turned its transforms off. */
  policyChanged(bucketId: string | null): void {
    if (bucketId === null || this.changedBuckets?.size === MAX_CHANGED_BUCKETS)
      this.changedBuckets = null;
    else this.changedBuckets?.add(bucketId);
  }

  /** Waits until a running eviction has ended. */
  async settle(): Promise<void> {
    await this.shrinking?.catch(() => {});
  }

  /** Ends a running eviction, and starts no other. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.settle();
  }

  /** Runs one eviction at a time. A caller in the meantime waits for the same one. */
  private shrinkOnce(): Promise<void> {
    this.shrinking ??= this.shrink().finally(() => {
      this.shrinking = null;
    });
    return this.shrinking;
  }

  private async shrink(): Promise<void> {
    const { database, maxBytes } = this.deps;
    const target = maxBytes * TARGET_SHARE;
    await this.saveUses();
    for (let limit = maxBytes; !this.isStopping; limit = target) {
      const { oldest, total } = await store.leastUsed(database.db, BATCH_SIZE);
      this.totalBytes = total;
      if (total <= limit) return;
      await this.dropAll(this.excess(oldest, target));
      if (this.totalBytes <= target || oldest.length < BATCH_SIZE) return;
    }
  }

  /** Yields images until the rest is within `target` bytes, and subtracts them from the total. */
  private *excess(oldest: TransformRow[], target: number): Generator<TransformRow> {
    for (const image of oldest) {
      if (this.totalBytes <= target) return;
      // The image was part of the total, even if another process deletes it first.
      this.totalBytes -= image.bytes;
      yield image;
    }
  }

  /** Each image has a transaction, as its file is locked; SQLite commits those that wait together. */
  private dropAll(images: Iterable<TransformRow>): Promise<void> {
    return forEachConcurrent(images, DROP_CONCURRENCY, async (image) => {
      if (!this.isStopping) await this.drop(image);
    });
  }

  private async saveUses(): Promise<void> {
    const { database, clock } = this.deps;
    const ids = [...this.usedIds];
    this.usedIds.clear();
    for (let from = 0; from < ids.length; from += BATCH_SIZE) {
      await store.touch(database.db, ids.slice(from, from + BATCH_SIZE), clock());
    }
  }

  private async dropUnwanted(): Promise<void> {
    const { database, clock } = this.deps;
    if (clock() - this.checkedAt >= POLICY_INTERVAL_MS) this.changedBuckets = null;
    const bucketIds = this.changedBuckets && [...this.changedBuckets];
    if (bucketIds?.length === 0) return;
    if (bucketIds === null) this.checkedAt = clock();
    this.changedBuckets = new Set();
    while (!this.isStopping) {
      const rows = await store.unwanted(database.db, BATCH_SIZE, bucketIds);
      await this.dropAll(rows);
      if (rows.length < BATCH_SIZE) return;
    }
  }
}
