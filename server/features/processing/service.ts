import { isPermanent } from '../../contract/failure.ts';
import { FAILED_UPLOAD_TTL_MS, MINUTE, SECOND } from '../../contract/limits.ts';
import type { ImageJob, VideoJob } from '../../contract/media.ts';
import type { FileDetailWire, MediaType } from '../../contract/wire.ts';
import { quoted, record } from '../../platform/audit/record.ts';
import { runStatements, type Statement } from '../../platform/db/batch.ts';
import type { Tx } from '../../platform/db/port.ts';
import { newId } from '../../platform/ids.ts';
import {
  type Attempt,
  type GivingUp,
  type Handler,
  PostponedError,
  type Writes,
} from '../../platform/queue/handler.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import { rootOf } from '../../platform/region-routing.ts';
import type { DiskReserve } from '../../platform/storage/disk-reserve.ts';
import { redirection, scheduleDelete } from '../../platform/storage/pending-deletes-store.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import type { Webhooks } from '../buckets/service.ts';
import {
  attemptPrefix,
  type CompleteUpload,
  type FileAddresses,
  type FileAnnouncements,
  type FileWithRegion,
  type FileWork,
  fileAnnouncements,
  fileById,
  fileUrl,
  type MediaFileRow,
  NO_WORK,
  type PlainBytes,
  publishFileEvent,
  type VersionHook,
  type WorkedOn,
} from '../files/service.ts';
import { EarlierFacts } from './earlier-facts.ts';
import { FileRetries } from './file-retries.ts';
import { PlainFacts } from './plain-facts.ts';
import { type AttemptDeps, ProcessingAttempt, RESULTS_TTL_MS } from './processing-attempt.ts';
import {
  backgroundImageJob,
  backgroundVideoJob,
  type ImagePayload,
  imageJob,
  type ProcessingPayload,
  plainJobOf,
  processingJobOf,
  type VideoPayload,
  videoJob,
} from './processing-jobs.ts';
import { refuseFile, statusOf } from './publication-store.ts';
import { renditionWires } from './renditions.ts';
import { reopenFile } from './retry-store.ts';

const IMAGE_CONCURRENCY = 2;
/** The media process stops a slow image where it sees that somebody else waits; see image-places.ts. */
const SLOW_IMAGE_MS = 2 * SECOND;
/** What takes long waits for each other, so that the memory holds one of a kind beside the others. */
const BACKGROUND_CONCURRENCY = 1;
const BACKGROUND_KINDS = { image: 'background-image', video: 'background-video' };
/** The kinds of jobs that process a type of file. */
const KINDS: Record<MediaType, string[]> = {
  image: ['image', BACKGROUND_KINDS.image],
  video: ['video', BACKGROUND_KINDS.video],
};
/** How long a job waits until it tries an unavailable storage again. */
const STORAGE_RETRY_DELAY_MS = 30 * SECOND;

type FinishedJob = { subject: string; payload: ProcessingPayload };

type Deps = Omit<AttemptDeps, 'announcements'> &
  FileAddresses & {
    objects: Pick<ObjectStore, 'check'>;
    diskReserve: Pick<DiskReserve, 'require'>;
    webhooks: Pick<Webhooks, 'announcements'>;
    queue: Queue;
    videoConcurrency: number;
    /** Whether the uploaded bytes of videos stay in every bucket once they are processed. */
    keepVideos: boolean;
  };

export type { MediaProcess } from './processing-attempt.ts';

/** Processes uploaded files in the media process, by jobs of the queue. */
export class Processing implements VersionHook {
  readonly retries: FileRetries;
  readonly earlierFacts: EarlierFacts;
  private readonly plainFacts: PlainFacts;
  private readonly announcements: FileAnnouncements;

  constructor(private readonly deps: Deps) {
    const { queue, videoConcurrency } = deps;
    this.retries = new FileRetries(deps);
    this.plainFacts = new PlainFacts(deps);
    this.earlierFacts = new EarlierFacts({ ...deps, plainFacts: this.plainFacts });
    this.announcements = fileAnnouncements(deps);
    const { image, video } = BACKGROUND_KINDS;
    queue.handle<ImagePayload>('image', {
      ...this.handler(IMAGE_CONCURRENCY, imageJob),
      slowAfterMs: SLOW_IMAGE_MS,
      background: image,
    });
    queue.handle(image, this.handler(BACKGROUND_CONCURRENCY, backgroundImageJob));
    queue.handle<VideoPayload>('video', {
      ...this.handler(videoConcurrency, videoJob),
      background: video,
    });
    queue.handle(video, this.handler(BACKGROUND_CONCURRENCY, backgroundVideoJob));
  }

  /**
   * Returns the statements that add the job which processes an upload, and schedule the deletion of its first results
   * instead of that of its objects.
   */
  onVersion(upload: CompleteUpload): Statement[] {
    const { queue, database, clock, keepVideos } = this.deps;
    const { fileId, bucket, prefix, expired } = upload;
    const now = clock();
    const resultPrefix = attemptPrefix(rootOf(prefix), bucket.id, fileId, newId(now));
    const { kind, payload } = processingJobOf(upload, { keepVideos, resultPrefix });
    const job = { kind, subject: fileId, owner: payload.userId, payload };
    // The first attempt at processing has nothing to write before it stores its results.
    const results = { from: prefix, to: resultPrefix, notBefore: now + RESULTS_TTL_MS };
    return [redirection(database.db, results, expired), queue.addition(database.db, job)];
  }

  /** Starts the job that `onVersion` has added, after the commit. */
  afterVersion({ file_type }: Pick<MediaFileRow, 'file_type'>): void {
    this.deps.queue.wake(file_type);
  }

  /**
   * Returns the statements that add the job which processes an uploaded file, where that was asked for, or reads it, where it
   * is audio or an image.
   */
  onPlain(upload: PlainBytes): Statement[] {
    const { queue, database } = this.deps;
    const job = plainJobOf(upload);
    if (!job) return this.plainFacts.additions(upload);
    const { fileId: subject, bucket } = upload;
    return [queue.addition(database.db, { ...job, subject, owner: bucket.user_id })];
  }

  /** Starts the job that `onPlain` has added, after the commit. */
  afterPlain(upload: Pick<PlainBytes, 'contentType' | 'processAs'>): void {
    if (upload.processAs) this.deps.queue.wake(upload.processAs);
    else this.plainFacts.start(upload);
  }

  /** Cancels the jobs of files in the transaction that deletes their rows. */
  async onDeletion(tx: Tx, files: WorkedOn[]): Promise<void> {
    const ids = files.filter(mayHaveJob).map(({ id }) => id);
    if (ids.length > 0) await this.deps.queue.cancel(tx, ids);
  }

  /** Aborts those that are running, after the commit. */
  afterDeletion(files: WorkedOn[]): void {
    const ids = files.filter(mayHaveJob).map(({ id }) => id);
    if (ids.length > 0) this.deps.queue.abort(ids);
  }

  /** Returns what is known of the processing of files, by their ids. */
  async workOf(
    files: Pick<MediaFileRow, 'id' | 'file_type' | 'status'>[],
  ): Promise<(id: string) => FileWork> {
    const { queue } = this.deps;
    const unfinished = files.filter(({ status }) => status === 'processing');
    if (unfinished.length === 0) return () => NO_WORK;
    const types = new Set(unfinished.map(({ file_type }) => file_type as MediaType));
    const kinds = [...types].flatMap((type) => KINDS[type]);
    const [progress, places] = await Promise.all([
      queue.progressOf(unfinished.map(({ id }) => id)),
      queue.placesOf(kinds),
    ]);
    return (id) => {
      const { place = null, waitMs = null } = places.get(id) ?? {};
      return {
        progress: progress.get(id) ?? 0,
        queue_position: place,
        queue_seconds: waitMs === null ? null : waitSeconds(waitMs),
      };
    };
  }

  /** Returns how many attempts the processing of a file took, and what it has made. */
  async detailsOf(file: FileWithRegion): Promise<Pick<FileDetailWire, 'attempts' | 'renditions'>> {
    const { queue, regionRouter } = this.deps;
    const work = await queue.workOn(file.file_type, file.id);
    const urlOf = (entry: string | null) => fileUrl(regionRouter, file, entry);
    return {
      attempts: work?.attempts ?? null,
      renditions: renditionWires(file.renditions, urlOf),
    };
  }

  private handler<Payload extends ProcessingPayload>(
    concurrency: number,
    toJob: (payload: Payload, prefix: string) => ImageJob | VideoJob,
  ): Handler<Payload> {
    return {
      concurrency,
      // The details of a file tell how many attempts it took.
      isKept: true,
      run: (attempt) => this.run(attempt, (prefix) => toJob(attempt.payload, prefix)),
      giveUp: (tx, job, why) => this.giveUp(tx, job, why),
      undoGiveUp: (tx, { subject }) => reopenFile(tx, subject, this.deps.clock()),
      finished: (job) => this.publishOutcome(job),
    };
  }

  /**
   * A failure while the storage is unavailable or the disk is full is not the fault of the file, so it
   * must not count as an attempt. A file that fills the disk by itself has left room again by now.
   */
  private async run(
    attempt: Attempt<ProcessingPayload>,
    toJob: (prefix: string) => ImageJob | VideoJob,
  ): Promise<Writes> {
    await this.waitForSpace(attempt);
    try {
      return await new ProcessingAttempt(
        { ...this.deps, announcements: this.announcements },
        attempt,
        toJob,
      ).run();
    } catch (error) {
      if (isPermanent(error)) throw error;
      await this.deps.objects.check().catch(() => {
        throw new PostponedError(STORAGE_RETRY_DELAY_MS, error);
      });
      await this.waitForSpace(attempt);
      throw error;
    }
  }

  /**
   * Postpones a job that could not copy its source to the local disk without using up the reserve.
   */
  private async waitForSpace({ subject, payload }: FinishedJob): Promise<void> {
    const { database, diskReserve } = this.deps;
    const size = payload.size ?? (await fileById(database.db, subject))?.size;
    await diskReserve.require(size).catch((error) => {
      throw new PostponedError(STORAGE_RETRY_DELAY_MS, error);
    });
  }

  /** Marks the file as failed. Its upload stays for a retry, unless a retry would fail too. */
  private async giveUp(
    tx: Tx,
    { subject: fileId, payload }: FinishedJob,
    { reason, isPermanent: isHopeless }: GivingUp,
  ) {
    const { clock, buckets } = this.deps;
    const { bucketId, sourcePrefix } = payload;
    if (payload.isPlain) return this.leavePlain(tx, fileId, bucketId, reason);
    const retryUntil = isHopeless ? null : clock() + FAILED_UPLOAD_TTL_MS;
    await buckets.contents.hold(tx, bucketId);
    const before = await refuseFile(tx, fileId, reason, retryUntil);
    if (!before || isHopeless) await scheduleDelete(tx, sourcePrefix, clock());
    if (!before) return;
    await record(tx, clock(), {
      section: 'files',
      action: 'file.failed',
      message: `File ${quoted(before.name)} could not be processed: ${reason}`,
      actor: 'system',
      subject: fileId,
      details: { bucket: bucketId },
    });
    if (isHopeless) {
      const bytes = -before.stored_bytes;
      await buckets.contents.change(tx, bucketId, { bytes, fileId, createdAt: before.created_at });
    }
    const refused = await fileById(tx, fileId);
    if (refused) await runStatements(tx, await this.announcements(tx, 'file.error', refused));
  }

  /** Leaves a file as it was uploaded. */
  private async leavePlain(tx: Tx, fileId: string, bucketId: string, reason: string) {
    const file = await fileById(tx, fileId);
    if (!file) return;
    await record(tx, this.deps.clock(), {
      section: 'files',
      action: 'file.failed',
      message: `File ${quoted(file.name)} could not be processed, and is delivered as it was uploaded: ${reason}`,
      actor: 'system',
      subject: fileId,
      details: { bucket: bucketId },
    });
  }

  private async publishOutcome({ subject, payload }: FinishedJob): Promise<void> {
    const { database, events } = this.deps;
    const status = await statusOf(database.db, subject);
    if (!status || status === 'processing') return;
    const { bucketId, userId } = payload;
    const outcome = status === 'error' ? 'file.error' : 'file.success';
    const type = payload.isPlain ? 'file.updated' : outcome;
    await publishFileEvent(events, type, { id: subject, bucketId, userId }, status, 100);
  }
}

/** The time is told in whole minutes, as it is rough and comes from the files of others. */
const waitSeconds = (waitMs: number) => Math.ceil(waitMs / MINUTE) * (MINUTE / SECOND);

/** A file that is stored as it was uploaded is delivered while its length or its size is read, or it is processed. */
const mayHaveJob = ({ status, file_type, content_type }: WorkedOn): boolean =>
  status === 'processing' ||
  ((file_type === 'file' || file_type === 'audio') && /^(audio|image|video)\//.test(content_type));
