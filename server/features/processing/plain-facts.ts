import { GIB, IMAGE_MAX_BYTES, SECOND } from '../../contract/limits.ts';
import type { FactsJob, FileFacts } from '../../contract/media.ts';
import type { Statement } from '../../platform/db/batch.ts';
import type { Database } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import { type Attempt, PostponedError, type Writes } from '../../platform/queue/handler.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { DiskReserve } from '../../platform/storage/disk-reserve.ts';
import { factsUpdate, type PlainBytes, publishFileEvent } from '../files/service.ts';
import type { MediaProcess } from './processing-attempt.ts';

type Kind = FactsJob['kind'];

/** The media process has a local copy of the whole file while it reads it. An image may be as large as a processed one. */
const MAX_BYTES: Record<Kind, number> = { audio: GIB, picture: IMAGE_MAX_BYTES };
const KINDS: [Kind, ...Kind[]] = ['audio', 'picture'];
const CONCURRENCY = 1;
const RETRY_DELAY_MS = 30 * SECOND;

type FactsPayload = { bucketId: string; userId: string; key: string; size: number };

type Deps = {
  database: Database;
  queue: Queue;
  events: Events;
  media: MediaProcess;
  diskReserve: Pick<DiskReserve, 'require'>;
};

/**
 * Reads the length of audio and the size of images that are stored as they are, by jobs of the queue. Such a file is
 * delivered from the start, whatever becomes of the job: what can't be read stays unknown.
 */
export class PlainFacts {
  constructor(private readonly deps: Deps) {
    for (const kind of KINDS) {
      deps.queue.handle<FactsPayload>(kind, {
        concurrency: CONCURRENCY,
        run: (attempt) => this.run(kind, attempt),
        finished: ({ subject: id, payload: { bucketId, userId } }) =>
          publishFileEvent(deps.events, 'file.updated', { id, bucketId, userId }, 'success', 100),
      });
    }
  }

  /** Returns the statements that add the job for an upload: none where it has nothing to read, or is too large. */
  additions({ fileId, bucket, contentType, key, size }: PlainBytes): Statement[] {
    const kind = kindOf(contentType);
    if (!kind || size === 0 || size > MAX_BYTES[kind]) return [];
    const payload: FactsPayload = { bucketId: bucket.id, userId: bucket.user_id, key, size };
    const job = { kind, subject: fileId, owner: bucket.user_id, payload };
    return [this.deps.queue.addition(this.deps.database.db, job)];
  }

  /** Whether none of these jobs waits. */
  async isIdle(): Promise<boolean> {
    return (await this.deps.queue.placesOf(KINDS)).size === 0;
  }

  /** Starts all of these jobs at once. */
  startAll(): void {
    this.deps.queue.wake(...KINDS);
  }

  /** Starts the job of an upload at once. It is called after the commit that has added it. */
  start({ contentType }: Pick<PlainBytes, 'contentType'>): void {
    const kind = kindOf(contentType);
    if (kind) this.deps.queue.wake(kind);
  }

  private async run(
    kind: Kind,
    { subject, payload, signal }: Attempt<FactsPayload>,
  ): Promise<Writes> {
    const { database, media, diskReserve } = this.deps;
    const { key: source, userId: owner, size } = payload;
    await diskReserve.require(size).catch((error) => {
      throw new PostponedError(RETRY_DELAY_MS, error);
    });
    const facts = await media.run({ kind, source, owner }, { signal, onProgress: () => {} });
    return {
      statements: async () => (isKnown(facts) ? [update(database, subject, facts)] : []),
    };
  }
}

const isKnown = (facts: FileFacts) => Object.values(facts).some((fact) => fact !== null);

const update = (
  { db }: Database,
  id: string,
  { width, height, duration, thumbHash }: FileFacts,
): Statement => factsUpdate(db, id, { width, height, duration, thumb_hash: thumbHash });

/** Returns what is read of a file by its content type; null for most. */
function kindOf(contentType: string): Kind | null {
  if (contentType.startsWith('audio/')) return 'audio';
  return contentType.startsWith('image/') ? 'picture' : null;
}
