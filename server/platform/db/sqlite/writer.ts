import { SECOND } from '../../../contract/limits.ts';
import { translateSqliteError, unwrap } from './errors.ts';
import { instrumentation } from './instrumentation.ts';
import { decodeReply, StepSender } from './messages.ts';
import {
  type Answer,
  type GuardedQuery,
  isAnswered,
  type Query,
  type Row,
  type Step,
} from './protocol.ts';
import { acquireThread, releaseThread } from './thread-pool.ts';
import { WaitQueue } from './wait-queue.ts';
import { WriteTransaction } from './write-transaction.ts';

/** A batch is committed when nobody waits, or when it is so old or so large. */
const MAX_BATCH_MS = 10;
const MAX_BATCH_SIZE = 100;

const WAIT_LIMITS = { maxWaiting: 1000, maxWaitMs: 10 * SECOND };

/** Transactions that are joined into one commit. */
type Batch = { startedAt: number; size: number; committed: PromiseWithResolvers<void> };

function newBatch(): Batch {
  const committed = Promise.withResolvers<void>();
  // Where every transaction of the batch has failed by itself, nobody waits for the commit.
  committed.promise.catch(() => {});
  return { startedAt: performance.now(), size: 0, committed };
}

/**
 * Runs transactions one after another on a thread of their own, and commits those that waited together: a
 * commit syncs the disk, which takes longer than the statements of a hundred transactions. Each is answered
 * after that commit, and is all or nothing.
 */
export class Writer {
  private readonly thread = acquireThread();
  private readonly sender = new StepSender();
  private readonly queue = new WaitQueue({
    ...WAIT_LIMITS,
    onOverdue: () => this.active?.abortIfIdle(),
  });
  private active: WriteTransaction | null = null;
  private batch: Batch | null = null;
  private isCommitting = false;
  /** Whether SQLite has undone the open batch. Its commit fails, and nothing may join it. */
  private isLost = false;
  private outbox: { step: Step; outcome: PromiseWithResolvers<Answer> | null }[] = [];
  private onIdle: (() => void) | null = null;

  constructor(path: string) {
    void this.thread.request({ type: 'open', path, isReader: false });
  }

  /**
   * Waits until a transaction can start. Nothing else is written until it ends, so its caller must not await
   * anything but its statements. Throws AppError where that takes too long.
   */
  begin(): Promise<WriteTransaction> {
    const transaction = new WriteTransaction({
      ask: (query) => this.ask({ type: 'run', query, isAlone: false }),
      send: (type) => this.send({ type }, null),
      end: (isCommitted) => this.endTransaction(isCommitted),
    });
    return new Promise((resolve, reject) => {
      this.enqueue(() => {
        this.active = transaction;
        transaction.start();
        resolve(transaction);
      }, reject);
    });
  }

  /** Runs one statement as a transaction by itself. */
  run(query: Query): Promise<Answer> {
    return this.runStep({ type: 'run', query, isAlone: true });
  }

  /** Runs statements as one transaction, and returns the rows of each. Throws GuardFailedError. */
  async runAll(statements: GuardedQuery[]): Promise<Row[][]> {
    return (await this.runStep({ type: 'batch', statements })).batch ?? [];
  }

  private runStep(step: Step): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.enqueue(() => {
        const committed = this.joinBatch();
        this.ask(step).then((answer) => committed.then(() => resolve(answer), reject), reject);
      }, reject);
    });
  }

  /** Closes the file after the transactions that have started or wait. */
  async close(): Promise<void> {
    if (this.active || this.isCommitting) {
      await new Promise<void>((resolve) => {
        this.onIdle = resolve;
      });
    }
    void this.flush();
    await this.thread.request({ type: 'close' });
    releaseThread(this.thread);
  }

  private enqueue(start: () => void, reject: (error: unknown) => void): void {
    this.queue.add(start, reject);
    this.continue();
  }

  /** Starts what waits, up to the next transaction of a caller, and commits where nothing is left to do. */
  private continue(): void {
    while (!this.active && !this.isCommitting) {
      if (this.queue.length === 0 || this.isBatchFull()) {
        const batch = this.batch ?? (this.isLost ? newBatch() : null);
        if (!batch) break;
        void this.commit(batch);
      } else {
        this.queue.startNext();
      }
    }
    if (this.active || this.isCommitting || !this.onIdle) return;
    this.onIdle();
  }

  private isBatchFull(): boolean {
    if (!this.batch) return this.isLost;
    const { size, startedAt } = this.batch;
    return this.isLost || size >= MAX_BATCH_SIZE || performance.now() - startedAt > MAX_BATCH_MS;
  }

  /** Returns a promise of the commit that the caller's statements are part of. */
  private joinBatch(): Promise<void> {
    this.batch ??= newBatch();
    this.batch.size += 1;
    return this.batch.committed.promise;
  }

  private endTransaction(isCommitted: boolean): Promise<void> {
    this.active = null;
    const committed = isCommitted ? this.joinBatch() : Promise.resolve();
    this.continue();
    return committed;
  }

  private async commit({ committed }: Batch): Promise<void> {
    this.isCommitting = true;
    try {
      await this.ask({ type: 'commit' });
      committed.resolve();
    } catch (error) {
      committed.reject(error);
    }
    this.batch = null;
    this.isCommitting = false;
    this.continue();
  }

  private ask(step: Step): Promise<Answer> {
    const outcome = Promise.withResolvers<Answer>();
    this.send(step, outcome);
    return instrumentation().passOn(outcome.promise);
  }

  /**
   * Sends a step at the end of this turn of the event loop, together with all others that follow from what the
   * turn has brought: the next statement of a transaction, or its end and the start of the next one.
   */
  private send(step: Step, outcome: PromiseWithResolvers<Answer> | null): void {
    if (this.outbox.length === 0) setImmediate(() => void this.flush());
    this.outbox.push({ step, outcome });
  }

  private async flush(): Promise<void> {
    const sent = this.outbox;
    if (sent.length === 0) return;
    this.outbox = [];
    const waiting = sent.filter(({ step }) => isAnswered(step));
    try {
      const steps = sent.map(({ step }) => step);
      const text = this.sender.encode(steps);
      const reply = await this.thread.request(text ?? { type: 'write', steps });
      const { outcomes, isLost } = decodeReply(reply);
      this.isLost = isLost;
      for (const [index, { outcome }] of waiting.entries()) {
        try {
          outcome?.resolve(unwrap(outcomes[index]));
        } catch (error) {
          outcome?.reject(error);
        }
      }
    } catch (error) {
      for (const { outcome } of waiting) outcome?.reject(translateSqliteError(error as Error));
    }
  }
}
