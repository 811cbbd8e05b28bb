import { SECOND } from '../../../contract/limits.ts';
import { unwrap } from './errors.ts';
import { inOwnTurn } from './own-turn.ts';
import type { Answer, Query } from './protocol.ts';
import { acquireThread, releaseThread, type Thread } from './thread-pool.ts';
import { WaitQueue } from './wait-queue.ts';

/** Small servers have one or two cores, and each thread takes some 8 MiB once it has run statements. */
const READER_CONCURRENCY = 2;
const STATEMENT_TIMEOUT_MS = 5 * SECOND;
const WAIT_LIMITS = { maxWaiting: 1000, maxWaitMs: 5 * SECOND };

/** Runs statements that only read, on threads that start when they are first needed. */
export class Readers {
  readonly #path: string;
  readonly #queue = new WaitQueue(WAIT_LIMITS);
  readonly #free: Thread[] = [];
  readonly #threads: Thread[] = [];
  readonly #running = new Set<Promise<unknown>>();

  readonly #timeoutMs: number;

  constructor(path: string, { timeoutMs = STATEMENT_TIMEOUT_MS } = {}) {
    this.#path = path;
    this.#timeoutMs = timeoutMs;
  }

  /** Throws AppError where the statement takes or waits too long. */
  async run(query: Query): Promise<Answer> {
    const thread = await this.#acquire();
    const reply = thread.request({ type: 'read', query, timeoutMs: this.#timeoutMs });
    this.#running.add(reply);
    try {
      const { outcomes } = await inOwnTurn(reply);
      return unwrap(outcomes[0]);
    } finally {
      this.#running.delete(reply);
      this.#free.push(thread);
      this.#queue.startNext();
    }
  }

  /** Closes the file once no statement runs. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
    for (const thread of this.#threads.splice(0)) {
      await thread.request({ type: 'close' });
      releaseThread(thread);
    }
  }

  async #acquire(): Promise<Thread> {
    if (this.#queue.length === 0) {
      const thread = this.#free.pop() ?? this.#start();
      if (thread) return thread;
    }
    return new Promise((resolve, reject) => {
      this.#queue.add(() => resolve(this.#free.pop() as Thread), reject);
    });
  }

  #start(): Thread | null {
    if (this.#threads.length >= READER_CONCURRENCY) return null;
    const thread = acquireThread();
    void thread.request({ type: 'open', path: this.#path, isReader: true });
    this.#threads.push(thread);
    return thread;
  }
}
