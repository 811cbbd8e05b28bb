import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import type {
  MediaJob,
  MediaReply,
  MediaRequest,
  MediaResult,
  ProbeResult,
  ResultOf,
} from '../../server/contract/media.ts';
import { MediaFailure, temporaryFailure } from '../media-failure.ts';
import { dieWithParent } from '../sandbox/confine.ts';
import { spawnWorker } from '../sandbox/spawn.ts';

export type MediaClientOptions = {
  /** The command of a program that calls `runWorker`. */
  command: string[];
  /**
   * Its whole environment, which should not contain our secrets, because it decodes untrusted files. The
   * server's own when left out.
   */
  env?: Record<string, string | undefined>;
  /** Milliseconds without a job after which the process is stopped, which frees its memory. */
  idleMs?: number;
  /** Called with the duration of each job in milliseconds, also of failed ones. */
  onJobEnd?: (kind: string, ms: number) => void;
};

export type RunOptions = {
  signal: AbortSignal;
  onProgress: (percent: number) => void;
  /** Called at most once before the end, when the stored part of a video can be played. */
  onPlayable?: (playable: MediaResult) => void;
  /** Called with the SHA-256 in hex of the upload, before it is processed. */
  onHash?: (sha256: string) => void;
};

type Pending = {
  job: MediaJob;
  options: RunOptions;
  resolve: (result: MediaResult | ProbeResult) => void;
  reject: (error: unknown) => void;
};
type Child = { process: Bun.Subprocess; isReady: boolean };

const STOP_TIMEOUT_MS = 5 * SECOND;
/**
 * glibc keeps freed memory separately for each thread, mostly the buffers of large photos. When it is
 * returned at once, the process takes a third less memory and no more time.
 */
const MEMORY_SETTINGS = {
  // No JavaScript is hot in this process: compiling it costs 11 MiB and makes no image faster.
  BUN_JSC_useJIT: '0',
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/**
 * The server's side of the media process. The first job starts it, it is stopped when idle, and a crash
 * restarts it. This file must never import sharp.
 */
export class MediaClient {
  private readonly options: MediaClientOptions;
  private readonly pending = new Map<string, Pending>();
  private child: Child | null = null;
  private idle: Timer | undefined;

  constructor(options: MediaClientOptions) {
    this.options = options;
  }

  /** The id of the media process; null while there is none. */
  get pid(): number | null {
    return this.child?.process.pid ?? null;
  }

  /**
   * Runs a job in the media process. Throws MediaFailure; after an abort the signal's reason, as soon as
   * the job has ended and its tools are gone.
   */
  async run<Job extends MediaJob>(job: Job, options: RunOptions): Promise<ResultOf<Job>> {
    const { signal } = options;
    signal.throwIfAborted();
    clearTimeout(this.idle);
    const startedAt = performance.now();
    const id = crypto.randomUUID();
    this.child ??= this.start();
    const { promise, resolve, reject } = Promise.withResolvers<MediaResult | ProbeResult>();
    this.pending.set(id, { job, options, resolve, reject });
    send(this.child, { type: 'run', id, job });
    const onAbort = () => this.cancel(id);
    signal.addEventListener('abort', onAbort);
    try {
      return (await promise) as ResultOf<Job>;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.options.onJobEnd?.(job.kind, performance.now() - startedAt);
    }
  }

  /**
   * Disconnects, which makes the process exit, and kills it where it does not. Resolves when it is gone.
   * Running jobs fail temporarily; a later job starts the process again.
   */
  async stop(): Promise<void> {
    clearTimeout(this.idle);
    const ending = this.child;
    if (!ending) return;
    this.handleExit(ending);
    ending.process.disconnect();
    const kill = setTimeout(() => ending.process.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ending.process.exited;
    clearTimeout(kill);
  }

  private start(): Child {
    const { command, env } = this.options;
    const started: Child = {
      isReady: false,
      process: spawnWorker<MediaReply>(dieWithParent(command), {
        env: env && { ...MEMORY_SETTINGS, ...env },
        onMessage: (reply) => this.receive(started, reply),
        onExit: () => this.handleExit(started),
      }),
    };
    return started;
  }

  private receive(from: Child, reply: MediaReply): void {
    if (from !== this.child) return;
    if (reply.type === 'ready') {
      from.isReady = true;
      for (const [id, { job }] of this.pending) send(from, { type: 'run', id, job });
      return;
    }
    const options = this.pending.get(reply.id)?.options;
    if (reply.type === 'progress') options?.onProgress(reply.percent);
    else if (reply.type === 'playable') options?.onPlayable?.(reply.result);
    else if (reply.type === 'hashed') options?.onHash?.(reply.sha256);
    else if (reply.type === 'done') this.settle(reply.id)?.resolve(reply.result);
    else this.settle(reply.id)?.reject(new MediaFailure(reply.reason, reply.retry));
  }

  private settle(id: string): Pending | undefined {
    const job = this.pending.get(id);
    this.pending.delete(id);
    clearTimeout(this.idle);
    const { idleMs = 5 * MINUTE } = this.options;
    if (this.pending.size === 0) this.idle = setTimeout(() => void this.stop(), idleMs);
    return job;
  }

  /** A job that was not sent yet ends at once; any other one ends when the process reports it. */
  private cancel(id: string): void {
    if (this.child?.isReady) send(this.child, { type: 'cancel', id });
    else this.settle(id)?.reject(temporaryFailure('Processing was cancelled.'));
  }

  private handleExit(child: Child): void {
    if (child !== this.child) return;
    this.child = null;
    const interrupted = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of interrupted) reject(temporaryFailure('Processing was interrupted.'));
  }
}

/** Sends a request. A child that is not ready gets its jobs when it reports that it is. */
function send(to: Child, request: MediaRequest): void {
  if (to.isReady) to.process.send(request);
}
