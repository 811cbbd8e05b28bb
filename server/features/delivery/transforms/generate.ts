import { LRUCache } from 'lru-cache';
import { Failure, isPermanent } from '../../../contract/failure.ts';
import { HOUR, MINUTE, SECOND } from '../../../contract/limits.ts';
import type { ImageTransformJob, MediaResult } from '../../../contract/media.ts';
import type { Transform } from '../../../contract/transforms.ts';
import { AppError, isUnavailable, notFound, tooMany, unavailable } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Executor, Tx } from '../../../platform/db/port.ts';
import { FairLimiter } from '../../../platform/fair-limiter.ts';
import { growingTo } from '../../../platform/growing-cache.ts';
import { newId } from '../../../platform/ids.ts';
import { rootOf } from '../../../platform/region-routing.ts';
import { cancelDelete, scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import { type Files, generatedImagePrefix } from '../../files/service.ts';
import type { Eviction } from './eviction.ts';
import type { PublishedFile } from './resolve-transform.ts';
import { SingleFlight } from './single-flight.ts';
import * as store from './store.ts';
import type { TransformRow } from './tables.ts';

/** The part of the media process that generating needs. It rejects with a Failure. */
export type Deriver = {
  run(
    job: ImageTransformJob,
    options: { signal: AbortSignal; onProgress: (percent: number) => void },
  ): Promise<MediaResult>;
};

/**
 * How many images may be generated of one file, so that nobody fills the disk by requesting every
 * size.
 */
const MAX_TRANSFORMS_PER_FILE = 64;
/** An image that was not requested for this long may be replaced by a new one of its file. */
const IDLE_MS = HOUR;
/**
 * Requests wait for their images, and anyone may request them. The media process generates two at a
 * time, and gets the next ones while it does. A bucket never has all places, so that a flood of one
 * does not delay the first image of another.
 */
const LIMITS = { running: 4, runningPerKey: 3, waiting: 256, waitingPerKey: 64 };
/**
 * What has shown to be slow waits for each other, and for nothing else. It takes up to half a minute each, so
 * fewer wait.
 */
const SLOW_LIMITS = { running: 1, runningPerKey: 1, waiting: 64, waitingPerKey: 8 };
/** Generating an image takes less time than this, waiting included. */
const ABANDONED_AFTER_MS = 30 * MINUTE;
const MAX_FAILURES = 5000;
/** How long a failed transform is not tried again, because it may have crashed a process. */
const PERMANENT_FAILURE_TTL_MS = 10 * MINUTE;
const PASSING_FAILURE_TTL_MS = 5 * SECOND;

/** An image to generate: the image `name` of a file with a canonical transform. */
export type TransformJob = {
  file: PublishedFile;
  name: string;
  transform: Transform;
  /** The canonical text of `transform`. */
  key: string;
  /** Whether it has shown to be slow. */
  isBackground?: boolean;
};

/** Another process has inserted the same image first. */
class LostRaceError extends Error {
  override name = 'LostRaceError';
  constructor(readonly winner: TransformRow) {
    super('another process has made it');
  }
}

const tooManyImages = () =>
  unavailable('Too many images are being generated. Try again in a moment.', 2 * SECOND);

/** Generates each image once, and inserts its row. */
export class TransformGenerator {
  private readonly singleFlight = new SingleFlight<TransformRow>();
  private readonly limiter = new FairLimiter(LIMITS, tooManyImages);
  private readonly slowLimiter = new FairLimiter(SLOW_LIMITS, tooManyImages);
  private readonly failures = new LRUCache<string, AppError>(growingTo(MAX_FAILURES));

  constructor(
    private readonly deps: {
      database: Database;
      clock: Clock;
      files: Pick<Files, 'addStoredBytes'>;
      media: Deriver;
      eviction: Eviction;
    },
  ) {}

  /**
   * Generates an image. Concurrent calls for the same image share its result; an aborted `signal`
   * ends the caller's wait. Throws too-many, unavailable, not-found, cannot-transform.
   */
  async make(job: TransformJob, signal: AbortSignal): Promise<TransformRow> {
    const id = `${job.file.id} ${job.key}`;
    const failed = this.failures.get(id);
    if (failed) throw failed;
    return this.singleFlight.join(id, signal, (shared) =>
      this.generateInTurn(job, shared).catch((error) => {
        throw this.rememberFailure(id, error, shared);
      }),
    );
  }

  /** Generates an image, a slow one for which others would have to wait in the background. */
  private async generateInTurn(job: TransformJob, signal: AbortSignal): Promise<TransformRow> {
    const key = job.file.bucket_id;
    try {
      return await this.limiter.run(key, () => this.generate(job, signal), signal);
    } catch (error) {
      if (!(error instanceof Failure) || error.retry !== 'background') throw error;
    }
    const slow = { ...job, isBackground: true };
    return this.slowLimiter.run(key, () => this.generate(slow, signal), signal);
  }

  private async generate(job: TransformJob, signal: AbortSignal): Promise<TransformRow> {
    const { database, clock, eviction } = this.deps;
    const { file, key } = job;
    await this.oldestOfFull(database.db, file);
    const id = newId(clock());
    const prefix = generatedImagePrefix(rootOf(file.prefix), file.bucket_id, file.id, id);
    await scheduleDelete(database.db, prefix, clock() + ABANDONED_AFTER_MS);
    try {
      const result = await this.runJob(job, prefix, signal);
      const bytes = result.objects.reduce((sum, object) => sum + object.size, 0);
      const [name, used_at] = [result.entry, clock()];
      const row = {
        ...{ id, file_id: file.id, bucket_id: file.bucket_id, transform: key },
        ...{ prefix, name, bytes, used_at },
      };
      await this.commit(file, row);
      eviction.added(bytes);
      return row;
    } catch (error) {
      // With the database unavailable, the commit may have succeeded nevertheless. If it did not, the
      // pending delete above deletes the object later.
      if (!isUnavailable(error)) await scheduleDelete(database.db, prefix, clock());
      if (error instanceof LostRaceError) return error.winner;
      throw error;
    }
  }

  private runJob(
    { file, name, transform, isBackground = false }: TransformJob,
    prefix: string,
    signal: AbortSignal,
  ) {
    const source = file.prefix + name;
    const baseName = name.slice(0, name.lastIndexOf('.'));
    const about = { source, prefix, baseName, transform, isBackground };
    const job = { kind: 'transform', ...about, owner: file.bucket_id } as const;
    return this.deps.media.run(job, { signal, onProgress: () => {} });
  }

  private commit(file: PublishedFile, row: TransformRow): Promise<void> {
    const { database, files } = this.deps;
    return database.transaction(async (tx) => {
      if (!(await cancelDelete(tx, row.prefix)))
        throw unavailable('The work finished after its deadline.', SECOND);
      // This locks the file's row, so from here on no other transaction adds to the file or deletes
      // it.
      if (!(await files.addStoredBytes(tx, file, row.bytes))) throw notFound('File');
      const winner = await store.findTransform(tx, file.id, row.transform);
      if (winner) throw new LostRaceError(winner);
      await this.makeRoom(tx, file);
      await store.insertTransform(tx, row);
    });
  }

  /**
   * Makes room for one more image of a file, by deleting an idle one if needed. Throws too-many.
   */
  private async makeRoom(tx: Tx, file: PublishedFile): Promise<void> {
    const oldest = await this.oldestOfFull(tx, file);
    if (oldest) await this.deps.eviction.remove(tx, oldest);
  }

  /**
   * Returns the oldest image of a file that is full; undefined where it is not. Throws too-many
   * where none is idle.
   */
  private async oldestOfFull(
    from: Executor,
    file: PublishedFile,
  ): Promise<TransformRow | undefined> {
    if ((await store.countOf(from, file.id)) < MAX_TRANSFORMS_PER_FILE) return undefined;
    const oldest = await store.oldestOf(from, file.id);
    const wait = (oldest?.used_at ?? 0) + IDLE_MS - this.deps.clock();
    if (wait <= 0) return oldest;
    const text = `This image already has ${MAX_TRANSFORMS_PER_FILE} generated variants, the maximum. Request one of them, or try again later.`;
    throw tooMany(text, wait);
  }

  /** Returns the error to throw. A failure of the media process is remembered. */
  private rememberFailure(id: string, error: unknown, signal: AbortSignal): unknown {
    if (error instanceof AppError || signal.aborted) return error;
    if (!(error instanceof Failure)) return error;
    const isFinal = isPermanent(error);
    const failure = isFinal
      ? new AppError(422, 'cannot-transform', error.message)
      : unavailable(
          'The image could not be generated. Try again in a moment.',
          PASSING_FAILURE_TTL_MS,
        );
    const ttl = isFinal ? PERMANENT_FAILURE_TTL_MS : PASSING_FAILURE_TTL_MS;
    this.failures.set(id, failure, { ttl });
    return failure;
  }
}
