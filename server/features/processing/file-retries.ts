import { conflict, notFound } from '../../errors.ts';
import { type Actor, quoted, record } from '../../platform/audit/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import { inSlices } from '../../platform/slices.ts';
import { scheduleDelete } from '../../platform/storage/pending-deletes-store.ts';
import type { Bucket, Buckets } from '../buckets/service.ts';
import { fileById, publishFileEvent } from '../files/service.ts';
import * as retryStore from './retry-store.ts';

type Deps = {
  database: Database;
  clock: Clock;
  events: Events;
  queue: Queue;
  buckets: Pick<Buckets, 'contents'>;
};

/**
 * Retries of files whose processing has failed for a reason that may have passed. Their uploads stay for
 * seven days; see `Processing.giveUp`.
 */
export class FileRetries {
  constructor(private readonly deps: Deps) {}

  /**
   * Processes a file again. Throws not-found; conflict where it has not failed, would fail again, or its
   * upload is not kept any more.
   */
  async retryFile(bucket: Bucket, fileId: string, actor: Actor): Promise<void> {
    const { database, queue, events } = this.deps;
    const kind = await database.transaction((tx) => this.queueAgain(tx, bucket.id, fileId, actor));
    queue.wake(kind);
    const file = { id: fileId, bucketId: bucket.id, userId: bucket.user_id };
    await publishFileEvent(events, 'file.progress', file, 'processing', 0);
  }

  /** Deletes the uploads of failed files that can't be retried any more. */
  async deleteExpiredUploads(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.deps;
    const now = clock();
    await inSlices(async (limit) => {
      const expired = await retryStore.expiredUploads(database.db, now, limit);
      for (const file of expired) {
        signal.throwIfAborted();
        await database.transaction((tx) => this.dropUpload(tx, file, now));
      }
      return expired.length;
    }, signal);
  }

  /** Returns the kind of the file's job. */
  private async queueAgain(tx: Tx, bucketId: string, fileId: string, actor: Actor) {
    const { queue, clock } = this.deps;
    const row = await fileById(tx, fileId);
    if (row?.bucket_id !== bucketId) throw notFound('File');
    const kind = await queue.retryAbout(tx, fileId);
    if (kind === null) throw conflict("This file can't be retried.");
    await record(tx, clock(), {
      section: 'files',
      action: 'file.retried',
      message: `Processing of the file ${quoted(row.name)} retried.`,
      actor,
      subject: fileId,
      details: { bucket: bucketId },
    });
    return kind;
  }

  private async dropUpload(tx: Tx, file: retryStore.ExpiredUpload, now: number): Promise<void> {
    const { id: fileId, bucket_id: bucketId, prefix, stored_bytes: bytes } = file;
    const change = { bytes: -bytes, fileId, createdAt: file.created_at };
    await this.deps.buckets.contents.hold(tx, bucketId);
    if (!(await retryStore.dropUpload(tx, fileId, now))) return;
    await scheduleDelete(tx, prefix, now);
    await this.deps.buckets.contents.change(tx, bucketId, change);
  }
}
