import { SECOND } from '../../../contract/limits.ts';
import { unwrap } from './errors.ts';
import { instrumentation } from './instrumentation.ts';
import { decodeReply } from './messages.ts';
import type { Answer, Query } from './protocol.ts';
import { acquireThread, type DatabaseThread, releaseThread } from './thread-pool.ts';
import { WaitQueue } from './wait-queue.ts';

/** Small servers have one or two cores. */
const READER_CONCURRENCY = 2;
/** A thread takes some 3 MiB once it has run statements, and a server that nobody uses runs few of them. */
const IDLE_MS = 30 * SECOND;
const STATEMENT_TIMEOUT_MS = 5 * SECOND;
const WAIT_LIMITS = { maxWaiting: 1000, maxWaitMs: 5 * SECOND };

/** Runs statements that only read, on threads that start when they are first needed. */
export class Readers {
  private readonly path: string;
  private readonly queue = new WaitQueue(WAIT_LIMITS);
  /** The threads without a statement, each with the timer that closes it. */
  private readonly free = new Map<DatabaseThread, Timer>();
  private readonly running = new Set<Promise<unknown>>();
  private readonly timeoutMs: number;
  private readonly idleMs: number;
  private threadCount = 0;

  constructor(path: string, { timeoutMs = STATEMENT_TIMEOUT_MS, idleMs = IDLE_MS } = {}) {
    this.path = path;
    this.timeoutMs = timeoutMs;
    this.idleMs = idleMs;
  }

  /** How many threads have the file open. */
  get threads(): number {
    return this.threadCount;
  }

  /** Throws AppError where the statement takes or waits too long. */
  async run(query: Query): Promise<Answer> {
    const thread = await this.acquire();
    const reply = thread.request({ type: 'read', query, timeoutMs: this.timeoutMs });
    this.running.add(reply);
    try {
      const { outcomes } = decodeReply(await instrumentation().passOn(reply));
      return unwrap(outcomes[0]);
    } finally {
      this.running.delete(reply);
      this.release(thread);
      this.queue.startNext();
    }
  }

  /** Closes the file once no statement runs. */
  async close(): Promise<void> {
    await Promise.allSettled(this.running);
    const closing = [...this.free.keys()].map(async (thread) => {
      await this.closeFile(thread);
      releaseThread(thread);
    });
    await Promise.all(closing);
  }

  private async acquire(): Promise<DatabaseThread> {
    if (this.queue.length === 0) {
      const thread = this.takeFree() ?? this.start();
      if (thread) return thread;
    }
    return new Promise((resolve, reject) => {
      this.queue.add(() => resolve(this.takeFree() as DatabaseThread), reject);
    });
  }

  /** Returns the thread that was used last, so that the other one can end. */
  private takeFree(): DatabaseThread | null {
    const [thread, timer] = [...this.free].at(-1) ?? [null];
    clearTimeout(timer);
    if (thread) this.free.delete(thread);
    return thread;
  }

  private release(thread: DatabaseThread): void {
    const timer = setTimeout(() => void this.end(thread), this.idleMs);
    timer.unref();
    this.free.set(thread, timer);
  }

  private async end(thread: DatabaseThread): Promise<void> {
    const closed = this.closeFile(thread);
    this.running.add(closed);
    await closed;
    this.running.delete(closed);
    thread.end();
  }

  private start(): DatabaseThread | null {
    if (this.threadCount >= READER_CONCURRENCY) return null;
    const thread = acquireThread();
    void thread.request({ type: 'open', path: this.path, isReader: true });
    this.threadCount += 1;
    return thread;
  }

  /** Closes the file of a thread that is free, whose place another one can take at once. */
  private closeFile(thread: DatabaseThread): Promise<unknown> {
    clearTimeout(this.free.get(thread));
    this.free.delete(thread);
    this.threadCount -= 1;
    return thread.request({ type: 'close' });
  }
}
