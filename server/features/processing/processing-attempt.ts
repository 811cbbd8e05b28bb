import { Failure } from '../../contract/failure.ts';
import { DAY, SECOND } from '../../contract/limits.ts';
import {
  type ImageJob,
  MASTER_PLAYLIST,
  type MediaJob,
  type MediaResult,
  type ResultOf,
  type VideoJob,
} from '../../contract/media.ts';
import { retryWhileUnavailable } from '../../contract/retry-while-unavailable.ts';
import type { Clock } from '../../platform/clock.ts';
import { runStatements, type Statement } from '../../platform/db/batch.ts';
import type { Database, Executor, Tx } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import { newId } from '../../platform/ids.ts';
import { type Attempt, LeaseLostError, type Writes } from '../../platform/queue/handler.ts';
import { rootOf } from '../../platform/region-routing.ts';
import {
  cancellation,
  deleteTimeOf,
  deletion,
  postponeDelete,
  scheduleDelete,
} from '../../platform/storage/pending-deletes-store.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import type { Buckets } from '../buckets/service.ts';
import {
  attemptPrefix,
  blobPlacement,
  type EventFile,
  type FileAnnouncements,
  fileById,
  originalPrefix,
  publishFileEvent,
  type Replacements,
} from '../files/service.ts';
import { IMAGE_WARNING_TEXTS } from './image-warnings.ts';
import type { ProcessingPayload } from './processing-jobs.ts';
import * as publications from './publication-store.ts';
import { renditionsOf } from './renditions.ts';
import { type KeptSource, keepSource } from './source-objects.ts';

/** How long after its last renewal the results of an attempt that has died are deleted. */
export const RESULTS_TTL_MS = DAY;

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

export type AttemptDeps = {
  database: Database;
  objects: Pick<ObjectStore, 'list' | 'head' | 'compose'>;
  clock: Clock;
  events: Events;
  buckets: Pick<Buckets, 'contents'>;
  media: MediaProcess;
  announcements: FileAnnouncements;
  takePathIn: Replacements['takePathIn'];
  storageRetryIntervalMs?: number;
};

/** Every process hears of each event, so a short clip must not publish a hundred within a second. */
const PROGRESS_INTERVAL_MS = SECOND;
const STORAGE_RETRY_INTERVAL_MS = 5 * SECOND;

const resultsDeleted = () =>
  new Failure('The results were deleted before the file was published.', { retry: 'later' });

const toWarning = ({ warning, loss }: MediaResult) =>
  warning ? IMAGE_WARNING_TEXTS[warning] : (loss ?? null);

/** One attempt at processing an uploaded file. Its results have a prefix of their own. */
export class ProcessingAttempt {
  private readonly file: EventFile;
  private prefix: string;
  /** The prefix of the upload as one object; null where it is not composed. */
  private composedPrefix: string | null = null;
  private job: ImageJob | VideoJob;
  /** The last whole per cent that was published; -1 before the first. */
  private progress = -1;
  private progressAt = Number.NEGATIVE_INFINITY;
  private playablePublication = Promise.resolve();
  private sha256: string | null = null;
  /** The time of the pending delete of the results, in epoch milliseconds. */
  private deleteAt = 0;

  constructor(
    private readonly deps: AttemptDeps,
    private readonly attempt: Attempt<ProcessingPayload>,
    private readonly toJob: (prefix: string) => ImageJob | VideoJob,
  ) {
    const { subject: id, payload } = attempt;
    const { bucketId, userId, sourcePrefix } = payload;
    this.file = { id, bucketId, userId };
    this.prefix = attemptPrefix(rootOf(sourcePrefix), bucketId, id, newId(deps.clock()));
    this.job = toJob(this.prefix);
  }

  /**
   * Processes the file. Returns what publishes it with the end of the job.
   * Throws a Failure, or another error after which the queue makes another attempt.
   */
  async run(): Promise<Writes> {
    await this.scheduleDelete();
    this.attempt.onRenewal(() => this.postponeDelete());
    try {
      const result = await this.runMedia();
      await this.playablePublication;
      const kept = await this.keepSource(this.keepsSource(result));
      if (this.attempt.payload.mayReplace) {
        return (tx: Tx) => this.replaceIn(tx, result, kept);
      }
      return { statements: () => this.publication(this.deps.database.db, result, kept) };
    } catch (error) {
      await this.cleanUp();
      throw error;
    }
  }

  /** The deletion of the results is pending until the file is published, so that a crash leaves none behind. */
  private async scheduleDelete(): Promise<void> {
    const { database, clock } = this.deps;
    const { db } = database;
    if (await this.takePlannedPrefix()) return;
    this.deleteAt = clock() + RESULTS_TTL_MS;
    await this.attempt.batch([
      // Only a video is published before it is finished, by an earlier attempt.
      ...(this.job.kind === 'video' ? publications.withdrawal(db, this.file.id) : []),
      deletion(db, this.prefix, this.deleteAt),
    ]);
  }

  /**
   * Takes the prefix whose deletion was scheduled with the job. Returns false where that is not the first attempt's
   * any more: one that fails, or a restart, makes its deletion due.
   */
  private async takePlannedPrefix(): Promise<boolean> {
    const { database, clock } = this.deps;
    const { resultPrefix } = this.attempt.payload;
    if (!this.attempt.isFirst || resultPrefix === undefined) return false;
    const deleteAt = await deleteTimeOf(database.db, resultPrefix);
    if (deleteAt === undefined || deleteAt - clock() <= RESULTS_TTL_MS / 2) return false;
    this.prefix = resultPrefix;
    this.job = this.toJob(resultPrefix);
    this.deleteAt = deleteAt;
    return true;
  }

  /** An attempt can take longer than its results would stay, and the clock can jump. */
  private async postponeDelete(): Promise<void> {
    const { database, clock } = this.deps;
    if (this.deleteAt - clock() > RESULTS_TTL_MS / 2) return;
    this.deleteAt = clock() + RESULTS_TTL_MS;
    for (const prefix of this.prefixes()) await postponeDelete(database.db, prefix, this.deleteAt);
  }

  /** The prefixes below which this attempt stores objects. */
  private prefixes(): string[] {
    return this.composedPrefix === null ? [this.prefix] : [this.prefix, this.composedPrefix];
  }

  private runMedia(): Promise<MediaResult> {
    return this.deps.media.run(this.job, {
      signal: this.attempt.signal,
      onProgress: (percent) => this.publishProgress(percent),
      onPlayable: (result) => {
        // A failure here only means that the video can be played later.
        this.playablePublication = this.publishPlayable(result).catch(() => {});
      },
      onHash: (sha256) => {
        this.sha256 = sha256;
      },
    });
  }

  /** Whether the original stays: where that was asked for, and where what is delivered has less than it. */
  private keepsSource({ isConverted, warning, loss }: MediaResult): boolean {
    const isLossy = isConverted === true || warning === 'damaged' || loss !== undefined;
    return this.attempt.payload.keepSource || isLossy;
  }

  /** Finds what stays of the upload. */
  private async keepSource(keepsSource: boolean): Promise<KeptSource> {
    const { sourcePrefix: prefix } = this.attempt.payload;
    if (!keepsSource) return { bytes: 0, place: null, others: [prefix] };
    const { objects, storageRetryIntervalMs: intervalMs = STORAGE_RETRY_INTERVAL_MS } = this.deps;
    const { signal } = this.attempt;
    return keepSource(objects, {
      ...{ job: this.job, prefix, owner: this.file.userId },
      // An image is soon made again, and its place is for the images whose storage responds.
      whileUnavailable: (work) =>
        this.job.kind === 'image' ? work() : retryWhileUnavailable(work, { signal, intervalMs }),
      newPrefix: () => this.newOriginalPrefix(),
    });
  }

  /** Returns a prefix for the upload as one object, whose deletion is pending until the file is published. */
  private async newOriginalPrefix(): Promise<string> {
    const { database, clock } = this.deps;
    const { id, bucketId } = this.file;
    const originals = originalPrefix(rootOf(this.attempt.payload.sourcePrefix), bucketId, id);
    const prefix = `${originals}${newId(clock())}/`;
    await this.attempt.batch([deletion(database.db, prefix, clock() + RESULTS_TTL_MS)]);
    this.composedPrefix = prefix;
    return prefix;
  }

  private publishProgress(percent: number): void {
    this.attempt.report(percent);
    const now = this.deps.clock();
    // Nobody waits for a file that is delivered already.
    if (this.attempt.payload.isPlain) return;
    const isDue = now - this.progressAt >= PROGRESS_INTERVAL_MS;
    if (!isDue || Math.floor(percent) === this.progress) return;
    this.progress = Math.floor(percent);
    this.progressAt = now;
    // A browser that misses this event sees the next one.
    this.publishEvent('file.progress').catch(() => {});
  }

  private async publishPlayable(result: MediaResult): Promise<void> {
    if (this.attempt.signal.aborted) return;
    const columns = { ...this.columnsOf(result), entry: MASTER_PLAYLIST };
    const isPublished = await this.attempt.transaction((tx) =>
      publications.publishPlayable(tx, this.file.id, columns),
    );
    if (isPublished) await this.publishEvent('file.playable');
  }

  private publishEvent(type: 'file.progress' | 'file.playable'): Promise<void> {
    return publishFileEvent(this.deps.events, type, this.file, 'processing', this.progress);
  }

  /** Withdraws what this attempt has published early, unless a later one has done so, and deletes its results. */
  private async cleanUp(): Promise<void> {
    const { database, clock } = this.deps;
    await this.playablePublication;
    await this.attempt
      .batch(publications.withdrawal(database.db, this.file.id, this.sha256))
      .catch((error) => {
        if (!(error instanceof LeaseLostError)) throw error;
      });
    for (const prefix of this.prefixes()) await scheduleDelete(database.db, prefix, clock());
  }

  /**
   * Publishes the file in place of the one that it replaces. The bucket is locked before any row, as whatever else
   * deletes files does.
   */
  private async replaceIn(tx: Tx, result: MediaResult, kept: KeptSource): Promise<void> {
    await this.deps.buckets.contents.lock(tx, this.file.bucketId);
    await this.deps.takePathIn(tx, this.file);
    await runStatements(tx, await this.publication(tx, result, kept));
  }

  /** Returns the statements that publish the file. */
  private async publication(
    db: Executor,
    result: MediaResult,
    kept: KeptSource,
  ): Promise<Statement[]> {
    const { clock, buckets, announcements } = this.deps;
    const { id: fileId, bucketId, userId } = this.file;
    const now = clock();
    const file = await fileById(db, fileId);
    const { isPlain = false } = this.attempt.payload;
    const isWaiting = isPlain ? file?.file_type === 'file' : file?.status === 'processing';
    if (!file || !isWaiting) {
      return this.prefixes().map((prefix) => deletion(db, prefix, now));
    }
    const bytes = result.objects.reduce((sum, object) => sum + object.size, 0) + kept.bytes;
    const columns: publications.Published = {
      ...this.columnsOf(result),
      webp_skipped: result.kept === 'original' ? 1 : 0,
      warning: toWarning(result),
      is_turned: result.isTurned ? 1 : 0,
      stored_bytes: bytes,
      renditions: JSON.stringify(renditionsOf(result, kept.bytes)),
      blob_id: kept.bytes > 0 ? file.blob_id : null,
    };
    // What else is stored of a file that is delivered already, such as its transforms, is counted with it.
    const added = isPlain ? bytes - kept.bytes : bytes - file.stored_bytes;
    const change = { fileId, bytes: added, createdAt: file.created_at };
    // The job of a file that is deleted or published meanwhile has ended.
    const otherwise = () => new LeaseLostError();
    const { kind: file_type } = this.job;
    return [
      ...(isPlain
        ? publications.addition(db, { id: fileId, file_type }, columns, { added, otherwise })
        : publications.publication(db, fileId, columns, otherwise)),
      ...(kept.place && file.blob_id !== null
        ? [blobPlacement(db, { id: file.blob_id, ...kept.place })]
        : []),
      ...this.prefixes().map((prefix) => cancellation(db, prefix, resultsDeleted)),
      // A backup that is being made may have rows which name the others.
      ...kept.others.map((prefix) => deletion(db, prefix, now)),
      ...buckets.contents.additions({ id: bucketId, user_id: userId }, change),
      ...(await announcements(db, isPlain ? 'file.updated' : 'file.success', {
        ...file,
        ...columns,
        ...publications.PUBLISHED,
        ...(isPlain && { file_type, stored_bytes: file.stored_bytes + added }),
      })),
    ];
  }

  private columnsOf(result: MediaResult): publications.MediaColumns {
    return {
      prefix: this.prefix,
      entry: result.entry,
      width: result.width,
      height: result.height,
      duration: result.duration,
      thumb_hash: result.thumbHash ?? null,
      poster: result.poster ?? null,
      previews: result.previews ?? null,
      sha256: this.sha256,
    };
  }
}
