import { MINUTE, SECOND } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import { scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import type { Files } from '../../files/service.ts';
import * as store from './store.ts';

/**
 * A request that has just found a derivative may still open it, so its objects stay for longer
 * than any cache remembers where they are.
 */
const DELETE_GRACE_MS = 20 * SECOND;
/** Uses nearer together than this count as one. */
const TOUCH_INTERVAL_MS = MINUTE;
const BATCH_SIZE = 100;
/** Going through all rows blocks SQLite, so it is done this seldom where nothing demands it. */
const SCAN_INTERVAL_MS = 10 * MINUTE;

/** Another process has removed the derivative meanwhile. */
class AlreadyGone extends Error {
  override name = 'AlreadyGone';
}

/** Keeps derivatives within their bytes, and knows which were used last. */
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

  /** Removes a derivative, in the transaction of the file's bytes. Throws AlreadyGone. */
  async remove(tx: Tx, image: store.GeneratedImageInBucket): Promise<void> {
    const { files, clock } = this.deps;
    const { id, file_id, bucket_id, bytes, prefix } = image;
    // The file's row is locked first, as a deletion of the file does: in the other order, the two
    // transactions could deadlock.
    const isThere = await files.addStoredBytes(tx, { id: file_id, bucket_id }, -bytes);
    if (!isThere || !(await store.deleteGeneratedImage(tx, id))) throw new AlreadyGone();
    await scheduleDelete(tx, prefix, clock() + DELETE_GRACE_MS);
  }

  /** Removes a derivative in a transaction of its own, unless it is gone already. */
  async drop(image: store.GeneratedImageInBucket): Promise<void> {
    try {
      await this.deps.database.transaction((tx) => this.remove(tx, image));
    } catch (error) {
      if (!(error instanceof AlreadyGone)) throw error;
    }
  }

  /** Remembers that a derivative was asked for; the row says so some seconds later. */
  touch(row: { id: string; used_at: number }): void {
    if (this.deps.clock() - row.used_at >= TOUCH_INTERVAL_MS) this.usedIds.add(row.id);
  }

  /** Counts a new derivative, and starts to remove others when there are too many bytes. */
  added(bytes: number): void {
    this.totalBytes += bytes;
    if (this.totalBytes > this.deps.maxBytes) void this.shrinkOnce().catch(this.deps.onError);
  }

  /** Removes the excess, and all derivatives of buckets that serve none any more. */
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

  /** A bucket may have turned its transforms off. */
  policyChanged(): void {
    this.isPolicyChanged = true;
  }

  /** Waits for a removal that is running. */
  async settle(): Promise<void> {
    await this.shrinking?.catch(() => {});
  }

  /** Shrinks one at a time; a caller in the meantime waits for the same run. */
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
        // Another process may have removed it since: it was in the total.
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
