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
  /** Starts a program that calls `runWorker`. */
  command: string[];
  /**
   * Its whole environment: what decodes strangers' files should not hold our secrets. The
   * server's own when left out.
   */
  env?: Record<string, string | undefined>;
  /** Milliseconds without a job after which the process is ended, giving back its memory. */
  idleMs?: number;
  /** Told how long each job took, in milliseconds, also of those that failed. */
  onJobEnd?: (kind: string, ms: number) => void;
};

export type RunOptions = {
  signal: AbortSignal;
  onProgress: (percent: number) => void;
  /** A video can be played, with what is stored of it so far; at most once, before the end. */
  onPlayable?: (early: MediaResult) => void;
  /** The SHA-256, in hex, of what was uploaded; before anything is made of it. */
  onHash?: (sha256: string) => void;
};

type Pending = {
  job: MediaJob;
  options: RunOptions;
  resolve: (result: MediaResult | ProbeResult) => void;
  reject: (error: unknown) => void;
};
type Child = { process: Bun.Subprocess; isReady: boolean };

const GRACE = 5 * SECOND;
/**
 * glibc keeps what is freed, apart for each thread: the buffers of a large photo, mostly. Given
 * back at once, the process takes a third less memory and no more time.
 */
const FRUGAL = {
  // Nothing there is hot in JavaScript: compiling it costs 11 MiB and makes no picture sooner.
  BUN_JSC_useJIT: '0',
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/**
 * The server's side of the media process, which is started by the first job, ended when idle, and
 * restarted after a crash. This file must never import sharp, whatever it needs otherwise.
 */
export class MediaClient {
  private readonly options: MediaClientOptions;
  private readonly pending = new Map<string, Pending>();
  private child: Child | null = null;
  private idle: Timer | undefined;

  constructor(options: MediaClientOptions) {
    this.options = options;
  }

  /** The media process' id, null while there is none. */
  get pid(): number | null {
    return this.child?.process.pid ?? null;
  }

  /**
   * Does a job in the media process. Throws MediaFailure; after an abort the signal's reason,
   * as soon as the job has really ended and its tools are gone.
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
   * Hangs up, which makes the process exit; one that does not is killed. Resolves when it is gone.
   * Running jobs fail, not for good; a later job starts it again.
   */
  async stop(): Promise<void> {
    clearTimeout(this.idle);
    const ending = this.child;
    if (!ending) return;
    this.lose(ending);
    ending.process.disconnect();
    const kill = setTimeout(() => ending.process.kill('SIGKILL'), GRACE);
    await ending.process.exited;
    clearTimeout(kill);
  }

  private start(): Child {
    const { command, env } = this.options;
    const started: Child = {
      isReady: false,
      process: spawnWorker<MediaReply>(dieWithParent(command), {
        env: env && { ...FRUGAL, ...env },
        onMessage: (reply) => this.receive(started, reply),
        onExit: () => this.lose(started),
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

  /** A job that was not handed over yet just ends; any other ends when the process says so. */
  private cancel(id: string): void {
    if (this.child?.isReady) send(this.child, { type: 'cancel', id });
    else this.settle(id)?.reject(temporaryFailure('Processing was cancelled.'));
  }

  private lose(gone: Child): void {
    if (gone !== this.child) return;
    this.child = null;
    const lost = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of lost) reject(temporaryFailure('Processing was interrupted.'));
  }
}

/** A child that is not ready yet is sent its jobs when it says that it is. */
function send(to: Child, request: MediaRequest): void {
  if (to.isReady) to.process.send(request);
}
