import type { Reply, Request } from './protocol.ts';

/** Where the compiled program has the thread's entry; scripts/binary.ts defines it. */
declare const WHARF_SQLITE_THREAD: string;

const entry = (): string =>
  typeof WHARF_SQLITE_THREAD === 'undefined'
    ? new URL('./thread.ts', import.meta.url).href
    : WHARF_SQLITE_THREAD;

type BunWorker = Worker & { ref(): void; unref(): void };

/** Threads whose database was closed. They cost 2 MiB each and wait for the next database. */
const idle: Thread[] = [];

/** Returns a thread that no database uses; starts one if there is none. */
export const acquireThread = (): Thread => idle.pop() ?? new Thread();

/** Takes a thread back whose database is closed. */
export const releaseThread = (thread: Thread): void => void idle.push(thread);

/**
 * A thread that runs requests one after another. It keeps the process running only while somebody waits for
 * a reply.
 */
export class Thread {
  readonly #worker = new Worker(entry(), { smol: true } as WorkerOptions) as BunWorker;
  readonly #pending: PromiseWithResolvers<Reply>[] = [];
  #isEnding = false;

  constructor() {
    this.#worker.unref();
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      const reply = this.#pending.shift();
      if (this.#pending.length === 0) this.#worker.unref();
      reply?.resolve(data);
    };
    this.#worker.onerror = ({ message }) => this.#crash(new Error(`A database thread: ${message}`));
    this.#worker.addEventListener('close', () => {
      if (!this.#isEnding) this.#crash(new Error('A database thread has ended.'));
    });
  }

  /** Ends the thread, which has no file open. */
  end(): void {
    this.#isEnding = true;
    this.#worker.terminate();
  }

  /** Sends a request. Rejects only if the thread ends without a reply. */
  request(request: Request): Promise<Reply> {
    const reply = Promise.withResolvers<Reply>();
    if (this.#pending.length === 0) this.#worker.ref();
    this.#pending.push(reply);
    this.#worker.postMessage(request);
    return reply.promise;
  }

  /**
   * Ends the process, because a thread fails only through a defect of ours or of Bun. Everything that was
   * acknowledged is on the disk, and the next start continues as after a kill.
   */
  #crash(error: Error): void {
    for (const reply of this.#pending.splice(0)) reply.reject(error);
    setImmediate(() => {
      throw error;
    });
  }
}
