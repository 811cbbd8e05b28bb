/** Where the compiled program has the entries of its threads; scripts/binary.ts defines it. */
declare const WHARF_THREADS: string;

type BunWorker = Worker & { ref(): void; unref(): void };

/**
 * A thread that answers requests one after another. It keeps the process running only while somebody waits
 * for a reply.
 */
export class Thread<Request, Reply> {
  private readonly worker: BunWorker;
  private readonly pending: PromiseWithResolvers<Reply>[] = [];
  private isEnding = false;

  /**
   * @param name what the thread is, for errors
   * @param module the entry's path from the project's folder without its ending, of those in scripts/binary.ts
   */
  constructor(name: string, module: string) {
    this.worker = new Worker(entryOf(module), { smol: true } as WorkerOptions) as BunWorker;
    this.worker.unref();
    this.worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      const reply = this.pending.shift();
      if (this.pending.length === 0) this.worker.unref();
      reply?.resolve(data);
    };
    this.worker.onerror = ({ message }) => this.crash(new Error(`${name}: ${message}`));
    this.worker.addEventListener('close', () => {
      if (!this.isEnding) this.crash(new Error(`${name} has ended.`));
    });
  }

  /** Ends the thread, which nobody waits for. */
  end(): void {
    this.isEnding = true;
    this.worker.terminate();
  }

  /** Sends a request. Rejects only if the thread ends without a reply. */
  request(request: Request): Promise<Reply> {
    const reply = Promise.withResolvers<Reply>();
    if (this.pending.length === 0) this.worker.ref();
    this.pending.push(reply);
    this.worker.postMessage(request);
    return reply.promise;
  }

  /**
   * Ends the process, because a thread fails only through a defect of ours or of Bun. Everything that was
   * acknowledged is on the disk, and the next start continues as after a kill.
   */
  private crash(error: Error): void {
    for (const reply of this.pending.splice(0)) reply.reject(error);
    setImmediate(() => {
      throw error;
    });
  }
}

const entryOf = (module: string): string =>
  typeof WHARF_THREADS === 'undefined'
    ? new URL(`../../${module}.ts`, import.meta.url).href
    : `${WHARF_THREADS}${module}.js`;
