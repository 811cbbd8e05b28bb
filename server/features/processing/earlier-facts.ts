import { SECOND } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { runStatements, type Statement } from '../../platform/db/batch.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import type { Attempt, Writes } from '../../platform/queue/handler.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import { completeSetupStep, isSetupStepComplete } from '../../platform/setup/setup-steps-store.ts';
import { hasFiles, type ReadableFile, readableFiles } from '../files/service.ts';
import type { PlainFacts } from './plain-facts.ts';

/** The kind of the job, what it is about, and the step of the setup that it completes. */
const NAME = 'earlier-facts';
/** A slice of rows is read at once. */
const SLICE_ROWS = 512;
/** How many files wait to be read at most, as those that are uploaded meanwhile wait behind them. */
const MAX_ADDED = 32;
const WAIT_MS = 5 * SECOND;

/** The id behind which the next files are. */
type Position = { after: string };

type Deps = {
  database: Database;
  clock: Clock;
  queue: Queue;
  plainFacts: Pick<PlainFacts, 'additions' | 'isIdle' | 'startAll'>;
};

/**
 * Has the length of audio and the size of images read that were stored as they are by a version which did not do that.
 * A job looks through all files, once for an installation: each run takes a slice, adds the jobs of `PlainFacts` for
 * it, and is followed by the next one when none of these waits any more.
 */
export class EarlierFacts {
  constructor(private readonly deps: Deps) {
    deps.queue.handle<Position>(NAME, {
      concurrency: 1,
      run: (attempt) => this.run(attempt),
      finished: async () => deps.plainFacts.startAll(),
    });
  }

  /** Adds the first job, unless one waits or runs, or all files have been looked through. */
  async start(): Promise<void> {
    const { database, queue } = this.deps;
    if (await isSetupStepComplete(database.db, NAME)) return;
    if (!(await hasFiles(database.db))) {
      await database.transaction((tx) => this.complete(tx));
      return;
    }
    if (await queue.isOpen(NAME)) return;
    await database.batch([this.addition('')]);
    queue.wake(NAME);
  }

  private async run({ payload: { after } }: Attempt<Position>): Promise<Writes> {
    const { database, plainFacts } = this.deps;
    if (!(await plainFacts.isIdle())) return this.next([], after, WAIT_MS);
    const rows = await readableFiles(database.db, { after, limit: SLICE_ROWS });
    const added: Statement[] = [];
    let position = after;
    for (const row of rows) {
      if (added.length >= MAX_ADDED) return this.next(added, position, WAIT_MS);
      added.push(...this.readingOf(row));
      position = row.id;
    }
    if (rows.length === SLICE_ROWS) return this.next(added, position, 0);
    return async (tx) => {
      await runStatements(tx, added);
      await this.complete(tx);
    };
  }

  /** Returns the writes of a run that is followed by another one. */
  private next(added: Statement[], after: string, delayMs: number): Writes {
    return { statements: async () => [...added, this.addition(after, delayMs)] };
  }

  private addition(after: string, delayMs = 0): Statement {
    const { database, clock, queue } = this.deps;
    const payload: Position = { after };
    const job = { kind: NAME, subject: NAME, payload, runAt: clock() + delayMs };
    return queue.addition(database.db, job);
  }

  /** Returns the statements that add the job of a file: none where it is processed or read already, or has nothing to read. */
  private readingOf(file: ReadableFile): Statement[] {
    const { blob_id, bucket_id, user_id, content_type: contentType, object_key: key, size } = file;
    const isPlain = file.file_type === 'file' || file.file_type === 'audio';
    if (!isPlain || file.is_known === 1) return [];
    if (blob_id === null || key === null || size === null) return [];
    const bucket = { id: bucket_id, user_id };
    // Copies share the bytes of the file that has the id of the blob, to which what is read is written.
    const fileId = blob_id;
    return this.deps.plainFacts.additions({ fileId, bucket, contentType, key, size });
  }

  private complete(tx: Tx): Promise<boolean> {
    return completeSetupStep(tx, NAME, this.deps.clock());
  }
}
