import type { Statement } from '../../../platform/db/batch.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { BucketSettings, BucketSubject } from '../settings.ts';
import * as store from './source-store.ts';
import type { BucketSourceRow } from './tables.ts';

type Deps = { database: Database; settings: Pick<BucketSettings, 'changeLocked'> };

/** From where buckets fetch files that they don't have, and which paths they don't fetch any more. */
export class BucketSources {
  constructor(private readonly deps: Deps) {}

  /** Returns the source of a bucket; undefined where it has none. */
  find(bucketId: string): Promise<BucketSourceRow | undefined> {
    return store.findSource(this.deps.database.db, bucketId);
  }

  /** Sets the source of a bucket in place of the one before. Throws not-found, conflict. */
  async set(subject: BucketSubject, row: store.NewSource): Promise<void> {
    const details = { endpoint: row.endpoint, bucket: row.source_bucket };
    const { settings } = this.deps;
    await settings.changeLocked({ ...subject, details }, 'source-set', async (_row, tx) => {
      await store.setSource(tx, row);
      return { has_source: 1 };
    });
  }

  /** Removes the source of a bucket with its credentials. Throws not-found, conflict. */
  async remove(subject: BucketSubject): Promise<void> {
    await this.deps.settings.changeLocked(subject, 'source-removed', async (_row, tx) => {
      await store.deleteSource(tx, subject.id);
      return { has_source: 0 };
    });
  }

  /** Stores why files can't be fetched from a source, unless that is known; null where they can. */
  async setError(source: Pick<BucketSourceRow, 'id' | 'error'>, error: string | null) {
    if (source.error === error) return;
    await store.setSourceError(this.deps.database.db, source.id, error);
  }

  /** Whether so many paths are excluded that no others can be. */
  isFull({ excluded }: Pick<BucketSourceRow, 'excluded'>): boolean {
    return excluded >= store.MAX_EXCLUDED_PATHS;
  }

  /** Whether a path of a bucket is not fetched, because what was there was deleted or moved. */
  isExcluded(bucketId: string, path: string): Promise<boolean> {
    return store.isExcluded(this.deps.database.db, bucketId, path);
  }

  /** Keeps a path of a bucket from being fetched, at which there is nothing. */
  async exclude(bucketId: string, path: string): Promise<void> {
    await this.deps.database.transaction((tx) => store.excludePaths(tx, bucketId, [path]));
  }

  /**
   * Lets be fetched again what was deleted from a bucket or moved, but for what is in its trash. An interrupted call can be
   * repeated. Throws not-found, conflict.
   */
  async clearExclusions(subject: BucketSubject): Promise<void> {
    const { database, settings } = this.deps;
    await settings.changeLocked(subject, 'source-exclusions-cleared', async (_row, tx) => {
      await store.clearExclusions(tx, subject.id);
      return {};
    });
    await store.deleteCleared(database.db, subject.id);
  }

  /** Returns the statements that let a file come to a path from a source; see `fetchGuard`. */
  guard(source: BucketSourceRow, path: string, otherwise: () => unknown): Statement[] {
    const { id, bucket_id } = source;
    return store.fetchGuard(this.deps.database.db, { id, bucket_id, path }, otherwise);
  }

  /** Deletes what is kept of the sources of a bucket that is being deleted. */
  deleteAllOf(bucketId: string, signal?: AbortSignal): Promise<void> {
    return store.deleteExclusions(this.deps.database.db, bucketId, signal);
  }
}
