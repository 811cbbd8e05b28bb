import { DAY, SECOND } from '../../contract/limits.ts';
import {
  type ImageJob,
  MASTER_PLAYLIST,
  type MediaJob,
  type MediaResult,
  type ResultOf,
  type VideoJob,
} from '../../contract/media.ts';
import { unavailable } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import { newId } from '../../platform/ids.ts';
import type { Attempt } from '../../platform/queue/handler.ts';
import { rootOf } from '../../platform/region-routing.ts';
import { cancelDelete, scheduleDelete } from '../../platform/storage/pending-deletes-store.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import type { Buckets } from '../buckets/service.ts';
import { type EventFile, publishFileEvent } from './file-wire.ts';
import { attemptPrefix } from './keys.ts';
import type { ProcessingPayload } from './processing-jobs.ts';
import { renditionsOf } from './renditions.ts';
import * as store from './store.ts';

/** The part of the media process that this feature uses. It rejects with a Failure. */
export type MediaProcess = {
  run<Job extends MediaJob>(
    job: Job,
    options: {
      signal: AbortSignal;
      onProgress: (percent: number) => void;
      onPlayable?: (result: MediaResult) => void;
      onHash?: (sha256: string) => void;
    },
  ): Promise<ResultOf<Job>>;
};

export type AttemptDependencies = {
  database: Database;
  objects: Pick<ObjectStore, 'list' | 'delete'>;
  clock: Clock;
  events: Events;
  buckets: Pick<Buckets, 'contents'>;
  media: MediaProcess;
  /** Writes an event for the bucket's webhook, in the transaction that makes the event true. */
  announce: (tx: Tx, type: 'file.success' | 'file.error', file: store.PlacedFile) => Promise<void>;
};

/** Every process hears of each event, so a short clip must not publish a hundred within a second. */
const PROGRESS_INTERVAL_MS = SECOND;

/** One attempt at processing an uploaded file. Its results have a prefix of their own. */
export class ProcessingAttempt {
  private readonly file: EventFile;
  private readonly prefix: string;
  private readonly job: ImageJob | VideoJob;
  /** The last whole per cent that was published; -1 before the first. */
  private progress = -1;
  private progressAt = Number.NEGATIVE_INFINITY;
  private playablePublication = Promise.resolve();
  private hashWrite = Promise.resolve();

  constructor(
    private readonly deps: AttemptDependencies,
    private readonly attempt: Attempt<ProcessingPayload>,
    toJob: (prefix: string) => ImageJob | VideoJob,
  ) {
    const { subject: id, payload } = attempt;
    const { bucketId, userId, sourcePrefix } = payload;
    this.file = { id, bucketId, userId };
    this.prefix = attemptPrefix(rootOf(sourcePrefix), bucketId, id, newId(deps.clock()));
    this.job = toJob(this.prefix);
  }

  /**
   * Processes the file. Returns a function that publishes it, in the transaction that ends the job.
   * Throws a Failure, or another error after which the queue makes another attempt.
   */
  async run(): Promise<(tx: Tx) => Promise<void>> {
    const { database, objects, clock } = this.deps;
    const { keepSource, sourcePrefix } = this.attempt.payload;
    // The deletion is pending until the file is published, so that a crash leaves no objects
    // behind.
    await scheduleDelete(database.db, this.prefix, clock() + DAY);
    await store.withdrawPlayable(database.db, this.file.id);
    const result = await this.runMedia();
    await this.playablePublication;
    const sourceBytes = keepSource ? await keepOnly(objects, sourcePrefix, sourcesOf(this.job)) : 0;
    await this.hashWrite;
    return (tx) => this.publish(tx, result, sourceBytes);
  }

  private runMedia(): Promise<MediaResult> {
    const { database, media } = this.deps;
    return media
      .run(this.job, {
        signal: this.attempt.signal,
        onProgress: (percent) => this.publishProgress(percent),
        onPlayable: (result) => {
          // A failure here only means that the video can be played later.
          this.playablePublication = this.publishPlayable(result).catch(() => {});
        },
        onHash: (sha256) => {
          this.hashWrite = store.noteHash(database.db, this.file.id, sha256);
          this.hashWrite.catch(() => {});
        },
      })
      .catch((error) => this.cleanUp(error));
  }

  private publishProgress(percent: number): void {
    this.attempt.report(percent);
    const now = this.deps.clock();
    const isDue = now - this.progressAt >= PROGRESS_INTERVAL_MS;
    if (!isDue || Math.floor(percent) === this.progress) return;
    this.progress = Math.floor(percent);
    this.progressAt = now;
    // A browser that misses this event sees the next one.
    this.publishEvent('file.progress').catch(() => {});
  }

  private async publishPlayable(result: MediaResult): Promise<void> {
    if (this.attempt.signal.aborted) return;
    const columns = { ...columnsOf(result, this.prefix), entry: MASTER_PLAYLIST };
    if (!(await store.publishPlayable(this.deps.database.db, this.file.id, columns))) return;
    await this.publishEvent('file.playable');
  }

  private publishEvent(type: 'file.progress' | 'file.playable'): Promise<void> {
    return publishFileEvent(this.deps.events, type, this.file, 'processing', this.progress);
  }

  /** Withdraws what this attempt has published early, and rethrows the error. */
  private async cleanUp(error: unknown): Promise<never> {
    const { database, clock } = this.deps;
    await this.playablePublication;
    await store.withdrawPlayable(database.db, this.file.id);
    await scheduleDelete(database.db, this.prefix, clock());
    throw error;
  }

  private async publish(tx: Tx, result: MediaResult, sourceBytes: number): Promise<void> {
    const { clock, buckets, announce } = this.deps;
    const { id: fileId, bucketId } = this.file;
    const { keepSource, sourcePrefix } = this.attempt.payload;
    const bytes = result.objects.reduce((sum, object) => sum + object.size, 0) + sourceBytes;
    if (!(await cancelDelete(tx, this.prefix)))
      throw unavailable('The work finished after its deadline.', 0);
    const before = await store.publishFile(tx, fileId, {
      ...columnsOf(result, this.prefix),
      kept_original: result.kept === 'original' ? 1 : 0,
      stored_bytes: bytes,
      renditions: JSON.stringify(renditionsOf(result, sourceBytes)),
      source_prefix: keepSource ? sourcePrefix : null,
    });
    if (!before) return scheduleDelete(tx, this.prefix, clock());
    if (!keepSource) await scheduleDelete(tx, sourcePrefix, clock());
    await buckets.contents.change(tx, bucketId, {
      bytes: bytes - before.stored_bytes,
      files: 0,
      fileId,
    });
    const published = await store.fileById(tx, fileId);
    if (published) await announce(tx, 'file.success', published);
  }
}

const columnsOf = (result: MediaResult, prefix: string): store.MediaColumns => ({
  prefix,
  entry: result.entry,
  width: result.width,
  height: result.height,
  duration: result.duration,
  thumb_hash: result.thumbHash ?? null,
  poster: result.poster ?? null,
  previews: result.previews ?? null,
});

/** Returns the keys of the objects that a job reads. */
function sourcesOf(job: ImageJob | VideoJob): string[] {
  if (job.kind === 'image') return [job.source];
  return job.thumbnail ? [...job.sources, job.thumbnail] : job.sources;
}

/**
 * Deletes all objects below `prefix` except `keys`, and returns how many bytes those have. A crash
 * during an upload leaves a part without a row, and an image that arrived in parts is also stored
 * as a whole. Beside a kept original these objects would stay for ever without being counted.
 */
async function keepOnly(
  objects: Pick<ObjectStore, 'list' | 'delete'>,
  prefix: string,
  keys: string[],
): Promise<number> {
  let bytes = 0;
  for await (const { key, size } of objects.list(prefix)) {
    if (keys.includes(key)) bytes += size;
    else await objects.delete(key);
  }
  return bytes;
}
