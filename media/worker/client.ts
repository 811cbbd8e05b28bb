import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import type {
  MediaJob,
  MediaReply,
  MediaRequest,
  MediaResult,
  ProbeResult,
  ResultOf,
} from '../../server/contract/media.ts';
import { dieWithParent } from '../sandbox/confine.ts';
import { MediaFailure, temporaryFailure } from './media-failure.ts';

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
};

export type RunOptions = {
  signal: AbortSignal;
  onProgress: (percent: number) => void;
  /** A video can be played, with what is stored of it so far; at most once, before the end. */
  onPlayable?: (early: MediaResult) => void;
  /** The SHA-256, in hex, of what was uploaded; before anything is made of it. */
  onHash?: (sha256: string) => void;
};
export type MediaClient = ReturnType<typeof createMediaClient>;

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
export function createMediaClient({ command, env, idleMs = 5 * MINUTE }: MediaClientOptions) {
  const pending = new Map<string, Pending>();
  let child: Child | null = null;
  let idle: Timer | undefined;

  function start(): Child {
    const started: Child = {
      isReady: false,
      process: Bun.spawn(dieWithParent(command), {
        ...(env ? { env: { ...FRUGAL, ...env } } : {}),
        stdio: ['ignore', 'inherit', 'inherit'],
        serialization: 'json',
        ipc: (reply: MediaReply) => receive(started, reply),
        onExit: () => lose(started),
      }),
    };
    return started;
  }

  function send(to: Child, request: MediaRequest): void {
    if (to.isReady) to.process.send(request);
  }

  function receive(from: Child, reply: MediaReply): void {
    if (from !== child) return;
    if (reply.type === 'ready') {
      from.isReady = true;
      for (const [id, { job }] of pending) send(from, { type: 'run', id, job });
      return;
    }
    const options = pending.get(reply.id)?.options;
    if (reply.type === 'progress') options?.onProgress(reply.percent);
    else if (reply.type === 'playable') options?.onPlayable?.(reply.result);
    else if (reply.type === 'hashed') options?.onHash?.(reply.sha256);
    else if (reply.type === 'done') settle(reply.id)?.resolve(reply.result);
    else settle(reply.id)?.reject(new MediaFailure(reply.reason, reply.permanent));
  }

  function settle(id: string): Pending | undefined {
    const job = pending.get(id);
    pending.delete(id);
    clearTimeout(idle);
    if (pending.size === 0) idle = setTimeout(end, idleMs);
    return job;
  }

  /** A job that was not handed over yet just ends; any other ends when the process says so. */
  function cancel(id: string): void {
    if (child?.isReady) send(child, { type: 'cancel', id });
    else settle(id)?.reject(temporaryFailure('Processing was cancelled.'));
  }

  function lose(gone: Child): void {
    if (gone !== child) return;
    child = null;
    const lost = [...pending.values()];
    pending.clear();
    for (const { reject } of lost) reject(temporaryFailure('Processing was interrupted.'));
  }

  /** Hangs up, which makes the process exit; one that does not is killed. Resolves when it is gone. */
  async function end(): Promise<void> {
    clearTimeout(idle);
    const ending = child;
    if (!ending) return;
    lose(ending);
    ending.process.disconnect();
    const kill = setTimeout(() => ending.process.kill('SIGKILL'), GRACE);
    await ending.process.exited;
    clearTimeout(kill);
  }

  return {
    /**
     * Does a job in the media process. Throws MediaFailure; after an abort the signal's reason,
     * as soon as the job has really ended and its tools are gone.
     */
    async run<Job extends MediaJob>(job: Job, options: RunOptions): Promise<ResultOf<Job>> {
      const { signal } = options;
      signal.throwIfAborted();
      clearTimeout(idle);
      const id = crypto.randomUUID();
      child ??= start();
      const { promise, resolve, reject } = Promise.withResolvers<MediaResult | ProbeResult>();
      pending.set(id, { job, options, resolve, reject });
      send(child, { type: 'run', id, job });
      const onAbort = () => cancel(id);
      signal.addEventListener('abort', onAbort);
      try {
        return (await promise) as ResultOf<Job>;
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
    /** The media process' id, null while there is none. */
    pid: () => child?.process.pid ?? null,
    /** Ends the process; running jobs fail, not for good. A later job would start it again. */
    stop: end,
  };
}
