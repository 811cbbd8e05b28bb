import { conflict, notFound } from '../../../errors.ts';
import type { Actor } from '../../../platform/audit/record.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import { recordBucketAudit } from '../audit.ts';
import { requireNotDeleting } from '../bucket-status.ts';
import * as store from '../store.ts';

/** Bans buckets for the admin, whose right to do so was checked before. */
export class BucketModeration {
  constructor(
    private readonly deps: {
      database: Database;
      clock: Clock;
      /** Makes the caches of all processes read the bucket again. */
      publishChange: (bucketId: string) => Promise<void>;
    },
  ) {}

  /** Stops a bucket's delivery and uploads, its keys and its tokens. Throws not-found, conflict. */
  ban(id: string, actor: Actor): Promise<void> {
    return this.setBanned(id, this.deps.clock(), actor);
  }

  /**
   * Lifts the ban of a bucket, which then has the status that the ban hid. Throws not-found,
   * conflict.
   */
  unban(id: string, actor: Actor): Promise<void> {
    return this.setBanned(id, null, actor);
  }

  private async setBanned(id: string, at: number | null, actor: Actor): Promise<void> {
    const { database, clock, publishChange } = this.deps;
    await database.transaction(async (tx) => {
      const row = await store.bucketById(tx, id);
      if (!row) throw notFound('Bucket');
      requireNotDeleting(row);
      if (!(await store.setBanned(tx, id, at))) {
        throw conflict(
          at === null ? "This bucket isn't banned." : 'This bucket is already banned.',
        );
      }
      await recordBucketAudit(tx, clock(), row, at === null ? 'unbanned' : 'banned', actor);
    });
    await publishChange(id);
  }
}
