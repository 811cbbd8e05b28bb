import { GIB, SECOND } from '../../contract/limits.ts';
import type { Statement } from '../../platform/db/batch.ts';
import type { Database } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import { type Attempt, PostponedError, type Writes } from '../../platform/queue/handler.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { DiskReserve } from '../../platform/storage/disk-reserve.ts';
import { durationUpdate, type PlainUpload, publishFileEvent } from '../files/service.ts';
import type { MediaProcess } from './processing-attempt.ts';

/** The media process has a local copy of the whole file while it reads its length. */
const MAX_BYTES = GIB;
const CONCURRENCY = 1;
const RETRY_DELAY_MS = 30 * SECOND;

type AudioPayload = { bucketId: string; userId: string; key: string; size: number };

type Deps = {
  database: Database;
  queue: Queue;
  events: Events;
  media: MediaProcess;
  diskReserve: Pick<DiskReserve, 'require'>;
};

/**
 * Reads the length of uploaded audio, by jobs of the queue. Such a file is delivered from the start, whatever becomes of
 * the job: where its length can't be read, it stays unknown.
 */
export class AudioDurations {
  constructor(private readonly deps: Deps) {
    deps.queue.handle<AudioPayload>('audio', {
      concurrency: CONCURRENCY,
      run: (attempt) => this.run(attempt),
      finished: ({ subject: id, payload: { bucketId, userId } }) =>
        publishFileEvent(deps.events, 'file.updated', { id, bucketId, userId }, 'success', 100),
    });
  }

  /** Returns the statements that add the job for an upload: none where it is no audio, or too large. */
  additions({ fileId, bucket, contentType, key, size }: PlainUpload): Statement[] {
    if (!contentType.startsWith('audio/') || size === 0 || size > MAX_BYTES) return [];
    const payload: AudioPayload = { bucketId: bucket.id, userId: bucket.user_id, key, size };
    const job = { kind: 'audio', subject: fileId, owner: bucket.user_id, payload };
    return [this.deps.queue.addition(this.deps.database.db, job)];
  }

  private async run({ subject, payload, signal }: Attempt<AudioPayload>): Promise<Writes> {
    const { database, media, diskReserve } = this.deps;
    const { key: source, userId: owner, size } = payload;
    await diskReserve.require(size).catch((error) => {
      throw new PostponedError(RETRY_DELAY_MS, error);
    });
    const job = { kind: 'audio' as const, source, owner };
    const { duration } = await media.run(job, { signal, onProgress: () => {} });
    return {
      statements: async () =>
        duration === null ? [] : [durationUpdate(database.db, subject, duration)],
    };
  }
}
