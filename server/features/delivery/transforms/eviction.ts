import { MINUTE, SECOND } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import { scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import type { Files } from '../../files/service.ts';
import * as store from './store.ts';

/**
 * A request that has just found a generated image may still open it, so the object stays longer
 * than any cache remembers its key.
 */
const DELETE_GRACE_MS = 20 * SECOND;
/** Uses within this time count as one. */
const TOUCH_INTERVAL_MS = MINUTE;
const BATCH_SIZE = 100;
/** Scanning all rows blocks SQLite, so without need it is done only this often. */
const SCAN_INTERVAL_MS = 10 * MINUTE;

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
  /** The bytes as of the last scan, with what this process has added since. */
  private totalBytes = 0;
  private scannedAt = Number.NEGATIVE_INFINITY;
  private isPolicyChanged = true;
  private shrinking: Promise<void> | null = null;

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
  async remove(tx: Tx, image: store.GeneratedImageInBucket): Promise<void> {
    const { files, clock } = this.deps;
    const { id, file_id, bucket_id, bytes, prefix } = image;
    // The file's row is locked first, as a deletion of the file does: in the other order, the two
    // transactions could deadlock.
    const isThere = await files.addStoredBytes(tx, { id: file_id, bucket_id }, -bytes);
    if (!isThere || !(await store.deleteGeneratedImage(tx, id))) throw new AlreadyDeletedError();
    await scheduleDelete(tx, prefix, clock() + DELETE_GRACE_MS);
  }

  /** Deletes a generated image in a transaction of its own, unless it is deleted already. */
  async drop(image: store.GeneratedImageInBucket): Promise<void> {
    try {
      await this.deps.database.transaction((tx) => this.remove(tx, image));
    } catch (error) {
      if (!(error instanceof AlreadyDeletedError)) throw error;
    }
  }

  /** Notes that an image was requested. The next round stores it in the row. */
  touch(row: { id: string; used_at: number }): void {
    if (this.deps.clock() - row.used_at >= TOUCH_INTERVAL_MS) this.usedIds.add(row.id);
  }

  /** Counts a new image, and starts an eviction when there are too many bytes. */
  added(bytes: number): void {
    this.totalBytes += bytes;
    if (this.totalBytes > this.deps.maxBytes) void this.shrinkOnce().catch(this.deps.onError);
  }

  /** Evicts the excess, and all images of buckets whose transforms are turned off. */
  async round(): Promise<void> {
    const { clock, maxBytes } = this.deps;
    const isDue = clock() - this.scannedAt >= SCAN_INTERVAL_MS;
    if (isDue || this.totalBytes > maxBytes) {
      this.scannedAt = clock();
      await this.shrinkOnce();
    } else await this.saveUses();
    if (!isDue && !this.isPolicyChanged) return;
    this.isPolicyChanged = false;
    await this.dropUnwanted();
  }

  /** Notes that a bucket may have turned its transforms off. */
  policyChanged(): void {
    this.isPolicyChanged = true;
  }

  /** Waits until a running eviction has ended. */
  async settle(): Promise<void> {
    await this.shrinking?.catch(() => {});
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
    await this.saveUses();
    for (;;) {
      const { oldest, totalBytes } = await store.leastUsed(database.db, BATCH_SIZE);
      this.totalBytes = totalBytes;
      for (const image of oldest) {
        if (this.totalBytes <= maxBytes) return;
        await this.drop(image);
        // The image was part of the total, even if another process has deleted it by now.
        this.totalBytes -= image.bytes;
      }
      if (oldest.length < BATCH_SIZE) return;
    }
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
    for (;;) {
      const rows = await store.unwanted(this.deps.database.db, BATCH_SIZE);
      for (const image of rows) await this.drop(image);
      if (rows.length < BATCH_SIZE) return;
    }
  }
}
