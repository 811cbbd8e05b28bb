import type { FileEvent } from '../../contract/events.ts';
import { DAY, SECOND } from '../../contract/limits.ts';
import {
  type ImageJob,
  MASTER_PLAYLIST,
  type MediaJob,
  type MediaResult,
  type ResultOf,
  type Size,
  type VideoJob,
} from '../../contract/media.ts';
import { unavailable } from '../../errors.ts';
import { quoted, record } from '../../platform/audit/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Executor, Tx } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import { newId } from '../../platform/ids.ts';
import { PermanentFailure, Postponed } from '../../platform/queue/handler.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import { rootOf } from '../../platform/region-routing.ts';
import { cancelDelete, scheduleDelete } from '../../platform/storage/pending-deletes.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import type { Buckets } from '../buckets/service.ts';
import { keepOnly, sourcesOf } from './kept-source.ts';
import { attemptPrefix } from './keys.ts';
import { renditionsOf } from './renditions.ts';
import * as store from './store.ts';

/** The media process, as this feature needs it. Rejects with `permanent` set where trying again is useless. */
export type MediaProcess = {
  run<Job extends MediaJob>(
    job: Job,
    options: {
      signal: AbortSignal;
      onProgress: (percent: number) => void;
      onPlayable?: (early: MediaResult) => void;
      onHash?: (sha256: string) => void;
    },
  ): Promise<ResultOf<Job>>;
};

type Payload = {
  bucketId: string;
  userId: string;
  /** Where the uploaded bytes are. */
  sourcePrefix: string;
  /** Whether they stay once the file is published. */
  keepSource: boolean;
};
export type ImagePayload = Payload & { source: string; baseName: string; webp: boolean };
export type VideoPayload = Payload & {
  sources: string[];
  resolutions: Size[];
  thumbnail: string | null;
  timelinePreview: boolean;
};

export const FILE_EVENTS = 'files';
export type FileEventEnvelope = { userId: string; event: FileEvent };

/** What is wrong with a file for good, for a person; null for a failure that may pass. */
export function permanentReason(error: unknown): string | null {
  const failure = error as { permanent?: unknown; reason?: unknown };
  return failure?.permanent === true && typeof failure.reason === 'string' ? failure.reason : null;
}

const failureOf = (error: unknown): unknown => {
  const reason = permanentReason(error);
  return reason === null ? error : new PermanentFailure(reason);
};

/** Between two looks whether a storage is back. */
const AWAY = 30 * SECOND;

const columnsOf = (made: MediaResult, prefix: string): store.Made => ({
  prefix,
  entry: made.entry,
  width: made.width,
  height: made.height,
  duration: made.duration,
  thumb_hash: made.thumbHash ?? null,
  poster: made.poster ?? null,
  previews: made.previews ?? null,
});

/** Takes uploaded files through the media process: the job, its result, and word of both. */
export function createProcessing(services: {
  database: Database;
  objects: Pick<ObjectStore, 'list' | 'delete' | 'check'>;
  clock: Clock;
  queue: Queue;
  events: Events;
  buckets: Buckets;
  media: MediaProcess;
  videoConcurrency: number;
  /** Tells the bucket's webhook, in the transaction of what it tells. */
  announce: (tx: Tx, type: 'file.success' | 'file.error', file: store.PlacedFile) => Promise<void>;
}) {
  const { database, objects, clock, queue, events, buckets, media, announce } = services;

  const tell = (
    type: FileEvent['type'],
    file: { id: string; bucketId: string; userId: string },
    status: FileEvent['status'],
    progress: number,
  ) => {
    const event: FileEvent = { type, fileId: file.id, bucketId: file.bucketId, status, progress };
    const envelope: FileEventEnvelope = { userId: file.userId, event };
    return events.publish(FILE_EVENTS, envelope);
  };

  /** A storage that is away is no fault of the file, whose original would go with the last attempt. */
  const patient = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch(async (error) => {
      if (error instanceof PermanentFailure) throw error;
      await objects.check().catch(() => {
        throw new Postponed(AWAY, error);
      });
      throw error;
    });

  const process = async <Given extends Payload>(
    attempt: {
      subject: string;
      payload: Given;
      signal: AbortSignal;
      report(percent: number): void;
    },
    toJob: (payload: Given, prefix: string) => ImageJob | VideoJob,
  ) => {
    const { subject: fileId, payload } = attempt;
    const { bucketId, userId } = payload;
    const prefix = attemptPrefix(rootOf(payload.sourcePrefix), bucketId, fileId, newId(clock()));
    await scheduleDelete(database.db, prefix, clock() + DAY);
    await store.withdrawEarly(database.db, fileId);

    let told = -1;
    const onProgress = (percent: number) => {
      attempt.report(percent);
      if (Math.floor(percent) === told) return;
      told = Math.floor(percent);
      // Whoever misses it sees the next.
      tell('file.progress', { id: fileId, bucketId, userId }, 'processing', told).catch(() => {});
    };
    // Its objects stay doomed until the end: a crash takes them, and the next attempt begins anew.
    const onPlayable = async (early: MediaResult) => {
      if (attempt.signal.aborted) return;
      const made = { ...columnsOf(early, prefix), entry: MASTER_PLAYLIST };
      if (!(await store.publishEarly(database.db, fileId, made))) return;
      await tell('file.playable', { id: fileId, bucketId, userId }, 'processing', told);
    };
    let early = Promise.resolve();
    const job = toJob(payload, prefix);
    let hashed = Promise.resolve();
    const made = await media
      .run(job, {
        signal: attempt.signal,
        onProgress,
        onPlayable: (result) => {
          // Without it the video only plays later.
          early = onPlayable(result).catch(() => {});
        },
        onHash: (sha256) => {
          hashed = store.noteHash(database.db, fileId, sha256);
          hashed.catch(() => {});
        },
      })
      .catch(async (error) => {
        await early;
        await store.withdrawEarly(database.db, fileId);
        await scheduleDelete(database.db, prefix, clock());
        throw failureOf(error);
      });
    await early;
    const keptBytes = payload.keepSource
      ? await keepOnly(objects, payload.sourcePrefix, sourcesOf(job))
      : 0;
    await hashed;

    return async (tx: Tx) => {
      const madeBytes = made.objects.reduce((sum, object) => sum + object.size, 0);
      const storedBytes = madeBytes + keptBytes;
      if (!(await cancelDelete(tx, prefix))) throw unavailable('The work came too late.', 0);
      const before = await store.publishFile(tx, fileId, {
        ...columnsOf(made, prefix),
        kept_original: made.kept === 'original' ? 1 : 0,
        stored_bytes: storedBytes,
        renditions: JSON.stringify(renditionsOf(made, keptBytes)),
        source_prefix: payload.keepSource ? payload.sourcePrefix : null,
      });
      if (!before) return scheduleDelete(tx, prefix, clock());
      if (!payload.keepSource) await scheduleDelete(tx, payload.sourcePrefix, clock());
      await buckets.add(tx, bucketId, {
        bytes: storedBytes - before.stored_bytes,
        files: 0,
        fileId,
      });
      const published = await store.fileById(tx, fileId);
      if (published) await announce(tx, 'file.success', published);
    };
  };

  const giveUp = async (tx: Tx, attempt: { subject: string; payload: Payload }, reason: string) => {
    const before = await store.refuseFile(tx, attempt.subject, reason);
    await scheduleDelete(tx, attempt.payload.sourcePrefix, clock());
    if (!before) return;
    await record(tx, clock(), {
      section: 'files',
      action: 'file.failed',
      message: `File ${quoted(before.name)} could not be processed: ${reason}`,
      actor: 'system',
      subject: attempt.subject,
      details: { bucket: attempt.payload.bucketId },
    });
    await buckets.add(tx, attempt.payload.bucketId, {
      bytes: -before.stored_bytes,
      files: 0,
      fileId: attempt.subject,
    });
    const refused = await store.fileById(tx, attempt.subject);
    if (refused) await announce(tx, 'file.error', refused);
  };

  const settled = async (attempt: { subject: string; payload: Payload }) => {
    const file = await store.fileById(database.db, attempt.subject);
    if (!file || file.status === 'processing') return;
    const { bucketId, userId } = attempt.payload;
    const type = file.status === 'error' ? 'file.error' : 'file.success';
    await tell(type, { id: file.id, bucketId, userId }, file.status, 100);
  };

  queue.handle<ImagePayload>('image', {
    concurrency: 2,
    giveUp,
    settled,
    run: (attempt) =>
      patient(
        process(attempt, ({ source, baseName, webp }, prefix) => ({
          kind: 'image',
          source,
          prefix,
          baseName,
          webp,
        })),
      ),
  });

  queue.handle<VideoPayload>('video', {
    concurrency: services.videoConcurrency,
    giveUp,
    settled,
    run: (attempt) =>
      patient(
        process(attempt, ({ sources, resolutions, thumbnail, timelinePreview }, prefix) => ({
          kind: 'video',
          sources,
          prefix,
          resolutions,
          timelinePreview,
          ...(thumbnail && { thumbnail }),
        })),
      ),
  });

  return {
    tell,
    addImage: (tx: Executor, fileId: string, payload: ImagePayload) =>
      queue.add(tx, { kind: 'image', subject: fileId, owner: payload.userId, payload }),
    addVideo: (tx: Executor, fileId: string, payload: VideoPayload) =>
      queue.add(tx, { kind: 'video', subject: fileId, owner: payload.userId, payload }),
  };
}
