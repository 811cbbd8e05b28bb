import { DELETION_TURN_MS } from '../contract/limits.ts';
import { BUCKET_EVENTS, type Buckets, type Webhooks } from '../features/buckets/service.ts';
import type { Files } from '../features/files/service.ts';
import type { Uploads } from '../features/uploads/service.ts';
import type { Events } from '../platform/events/port.ts';
import type { Queue } from '../platform/queue/queue.ts';

export type BucketCleanupDeps = {
  buckets: Pick<Buckets, 'contents' | 'deletion' | 'sources'>;
  files: Pick<Files, 'deletion'>;
  uploads: Pick<Uploads, 'deleteAllOf'>;
  webhooks: Pick<Webhooks, 'announceDeletion'>;
  events: Events;
  /** Writes the usage that is counted in memory, so that the last charge includes all of it. */
  flush: () => Promise<void>;
};

type Options = { signal: AbortSignal; onDeleted: (files: number) => void };

/**
 * Deletes all that features above buckets keep in a bucket, and then the bucket. Each step can be interrupted
 * and repeated, because the row that everything else depends on is deleted last.
 */
export class BucketCleanup {
  constructor(private readonly deps: BucketCleanupDeps) {}

  /** Registers the job that `buckets.deletion.start` adds. */
  handleJobs(queue: Pick<Queue, 'handle'>): void {
    const { contents } = this.deps.buckets;
    queue.handle<{ files?: number }>('delete-bucket', {
      concurrency: 1,
      turnMs: DELETION_TURN_MS,
      run: async ({ subject: bucketId, payload, signal, report }) => {
        const files = await contents.countFiles(bucketId);
        const onDeleted = reportRemaining(files, payload.files, report);
        await this.deleteBucket(bucketId, { signal, onDeleted });
        return async () => {};
      },
    });
  }

  /** Deletes a bucket whose deletion has started. The pending deletes delete its objects later. */
  async deleteBucket(bucketId: string, options: Options): Promise<void> {
    const { buckets, files, uploads, webhooks, events, flush } = this.deps;
    await events.publish(BUCKET_EVENTS, { bucketId });
    await uploads.deleteAllOf(bucketId, options.signal);
    await files.deletion.deleteAllOf(bucketId, options);
    await buckets.sources.deleteAllOf(bucketId, options.signal);
    await flush();
    await buckets.deletion.finish(bucketId, async (tx) => {
      await files.deletion.releaseObjectsOf(tx, bucketId);
      await webhooks.announceDeletion(tx, bucketId);
    });
  }
}

/**
 * Returns a function that reports the progress in per cent when so many more files are deleted.
 * @param remaining how many files there are now
 * @param total how many there were when the deletion started, if that is known
 */
export function reportRemaining(
  remaining: number,
  total = remaining,
  report: (percent: number) => void,
): (files: number) => void {
  return (files) => {
    remaining -= files;
    if (total > 0) report(Math.max(0, Math.floor(100 * (1 - remaining / total))));
  };
}
