import { SECOND } from '../../server/contract/limits.ts';
import type {
  FileFacts,
  MediaJob,
  MediaReply,
  MediaRequest,
  MediaResult,
  ProbeResult,
  ResultOf,
} from '../../server/contract/media.ts';
import { MediaFailure, temporaryFailure } from '../media-failure.ts';
import { spawnWorker } from '../sandbox/spawn.ts';
import { END_SIGNALS } from './end-signals.ts';

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
  resolve: (result: MediaResult | ProbeResult | FileFacts) => void;
  reject: (error: unknown) => void;
};

/** Starts the program of a media process. */
export type StartWorker = (
  ...options: Parameters<typeof spawnWorker<MediaReply>>
) => Pick<Bun.Subprocess, 'pid' | 'send' | 'disconnect' | 'kill' | 'exited'>;

/** A program that calls `runWorker`, with its whole environment. */
type WorkerProgram = {
  command: string[];
  env?: Record<string, string | undefined> | undefined;
  start?: StartWorker | undefined;
};

const STOP_TIMEOUT_MS = 5 * SECOND;
/** No JavaScript is hot in the media process, and compiling it costs 11 MiB. */
const MEMORY_SETTINGS = { BUN_JSC_useBaselineJIT: '0' };

/** One media process with the jobs that it runs. */
export class WorkerProcess {
  private readonly child: ReturnType<StartWorker>;
  private readonly pending = new Map<string, Pending>();
  private isReady = false;
  private hasEnded = false;
  private isStopping = false;

  /**
   * Starts the process.
   * @param on.settled called when a job has ended
   * @param on.ended called once when the process has ended or is being stopped, with the jobs of which one
   *   is the reason, and with whether it has started; there are none where it was told to end
   */
  constructor(
    { command, env, start = spawnWorker }: WorkerProgram,
    private readonly on: {
      settled(): void;
      ended(suspects: MediaJob[], hasStarted: boolean): void;
    },
  ) {
    this.child = start(command, {
      env: env && { ...MEMORY_SETTINGS, ...env },
      onMessage: (reply) => this.receive(reply),
      onExit: (signal) => this.end(signal),
    });
  }

  get pid(): number {
    return this.child.pid;
  }

  get isIdle(): boolean {
    return this.pending.size === 0;
  }

  /**
   * Runs a job. Throws MediaFailure; after an abort the signal's reason, as soon as the job has ended and
   * its tools are gone. A job that is interrupted has only made an attempt where it was alone in a process
   * that crashed: it alone must be the reason then.
   */
  async run<Job extends MediaJob>(job: Job, options: RunOptions): Promise<ResultOf<Job>> {
    const { signal } = options;
    const id = crypto.randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<
      MediaResult | ProbeResult | FileFacts
    >();
    this.pending.set(id, { job, options, resolve, reject });
    this.send({ type: 'run', id, job });
    const onAbort = () => this.cancel(id);
    signal.addEventListener('abort', onAbort);
    try {
      return (await promise) as ResultOf<Job>;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Disconnects, which makes the process exit, and kills it where it does not. Resolves when it is gone. Its
   * jobs fail temporarily.
   */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.end(null);
    this.child.disconnect();
    const kill = setTimeout(() => this.child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.child.exited;
    clearTimeout(kill);
  }

  private receive(reply: MediaReply): void {
    if (this.hasEnded) return;
    if (reply.type === 'ready') {
      this.isReady = true;
      for (const [id, { job }] of this.pending) this.send({ type: 'run', id, job });
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
    this.on.settled();
    return job;
  }

  /** A job that was not sent yet ends at once; any other one ends when the process reports it. */
  private cancel(id: string): void {
    if (this.isReady) this.send({ type: 'cancel', id });
    else this.settle(id)?.reject(temporaryFailure('Processing was cancelled.'));
  }

  private end(signal: string | null): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const interrupted = [...this.pending.values()];
    this.pending.clear();
    const hasCrashed =
      this.isReady && !this.isStopping && !END_SIGNALS.some((one) => one === signal);
    const suspects = hasCrashed ? interrupted.map(({ job }) => job) : [];
    this.on.ended(suspects, this.isReady || this.isStopping);
    const retry = suspects.length === 1 ? 'limited' : 'later';
    for (const { reject } of interrupted) {
      reject(new MediaFailure('Processing was interrupted.', retry));
    }
  }

  /** Sends a request. A process that is not ready gets its jobs when it reports that it is. */
  private send(request: MediaRequest): void {
    if (this.isReady) this.child.send(request);
  }
}
