import type { Actor } from '../../platform/audit/record.ts';
import type { Tx } from '../../platform/db/port.ts';
import { recordBucketAudit } from './audit.ts';
import type { BucketDeps } from './bucket-deps.ts';
import { BUCKET_EVENTS, type BucketEvent } from './bucket-events.ts';
import { bucketBeingDeleted } from './bucket-status.ts';
import { lockBucket, lockBucketsOf } from './lock-store.ts';
import { deleteSource } from './sources/source-store.ts';
import * as store from './store.ts';

/** Deletes buckets: at once for their users, and by a job for what they store. */
export class BucketDeletion {
  constructor(
    private readonly deps: Pick<
      BucketDeps,
      'database' | 'clock' | 'queue' | 'events' | 'charges' | 'meters'
    >,
  ) {}

  /**
   * Makes a bucket refuse everything, and adds the job that deletes it. Call `announce` after the
   * commit. Throws conflict where the deletion has started before.
   */
  async start(tx: Tx, id: string, actor: Actor): Promise<void> {
    const { clock, queue } = this.deps;
    const row = await store.bucketById(tx, id);
    if (!row || !(await store.markDeleting(tx, id))) throw bucketBeingDeleted();
    await deleteSource(tx, id);
    await recordBucketAudit(tx, clock(), row, 'deleted', actor);
    const payload = { files: row.total_uploads };
    await queue.add(tx, { kind: 'delete-bucket', subject: id, owner: row.user_id, payload });
  }

  /** Does the same for all buckets of an account, whose row the transaction has locked. */
  async startAll(tx: Tx, userId: string, actor: Actor): Promise<void> {
    for (const id of await lockBucketsOf(tx, userId)) await this.start(tx, id, actor);
  }

  /** Ends the delivery of buckets whose deletion has started, and wakes the job that carries it out. */
  async announce(event: BucketEvent): Promise<void> {
    const { queue, events } = this.deps;
    queue.wake('delete-bucket');
    await events.publish(BUCKET_EVENTS, event);
  }

  /**
   * Closes the meter of a bucket whose files are deleted, and deletes its row.
   * @param beforeDelete runs in the same transaction, while the row is still there
   */
  finish(id: string, beforeDelete = async (_tx: Tx): Promise<void> => {}): Promise<void> {
    const { database, clock, charges, meters } = this.deps;
    return database.transaction(async (tx) => {
      await lockBucket(tx, id);
      await meters.fold(tx, id);
      const bucket = await store.bucketById(tx, id);
      if (!bucket) return;
      await recordBucketAudit(tx, clock(), bucket, 'wiped', 'system');
      await meters.closed(tx, bucket, bucket.usage);
      await charges.closed(tx, bucket);
      await beforeDelete(tx);
      await store.deleteBucket(tx, id);
    });
  }
}
