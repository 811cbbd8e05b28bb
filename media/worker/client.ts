import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import type { MediaJob, ResultOf } from '../../server/contract/media.ts';
import { postponingFailure } from '../media-failure.ts';
import { type RunOptions, type StartWorker, WorkerProcess } from './worker-process.ts';

export type MediaClientOptions = {
  /** The command of a program that calls `runWorker`. */
  command: string[];
  /**
   * Its whole environment, which should not contain our secrets, because it handles untrusted files. The
   * server's own when left out.
   */
  env?: Record<string, string | undefined>;
  /** Milliseconds without a job after which the process is stopped, which frees its memory. */
  idleMs?: number;
  /** Called with the duration of each job in milliseconds, also of failed ones. */
  onJobEnd?: (kind: string, ms: number) => void;
  /** Starts the program; a simulation starts something else. */
  start?: StartWorker;
};

const MAX_SUSPECTS = 1000;
const START_RETRY_INTERVAL_MS = 5 * SECOND;

/**
 * The server's side of the media process. The first job starts it, it is stopped when idle, and a crash
 * restarts it. This file must never import sharp.
 */
export class MediaClient {
  private shared: WorkerProcess | null = null;
  /** Processes with one suspect each. */
  private readonly separate = new Set<WorkerProcess>();
  /**
   * The sources of jobs that ran beside others when the process crashed, of which one may be the reason. Each
   * runs in a process of its own the next time: the innocent ones succeed there, and a crash counts as an
   * attempt of the job that has caused it.
   */
  private readonly suspects = new LRUCache<string, true>({ max: MAX_SUSPECTS });
  private idle: Timer | undefined;
  /** Until this time no process is started, by the clock of `performance`, as the last one could not start. */
  private startsAgainAt = 0;

  constructor(private readonly options: MediaClientOptions) {}

  /** The id of the media process; null while there is none. */
  get pid(): number | null {
    return this.shared?.pid ?? null;
  }

  /**
   * Runs a job in the media process. Throws MediaFailure; after an abort the signal's reason, as soon as
   * the job has ended and its tools are gone.
   */
  async run<Job extends MediaJob>(job: Job, options: RunOptions): Promise<ResultOf<Job>> {
    options.signal.throwIfAborted();
    const startedAt = performance.now();
    try {
      this.requireStarting();
      if (this.suspects.has(sourceOf(job))) return await this.runSeparately(job, options);
      clearTimeout(this.idle);
      this.shared ??= this.startShared();
      return await this.shared.run(job, options);
    } finally {
      this.options.onJobEnd?.(job.kind, performance.now() - startedAt);
    }
  }

  /** Stops all processes. Running jobs fail temporarily; a later job starts a process again. */
  async stop(): Promise<void> {
    clearTimeout(this.idle);
    const running = [...this.separate, ...(this.shared ? [this.shared] : [])];
    await Promise.all(running.map((one) => one.stop()));
  }

  /** Without this a queue of many jobs would start one process after the other. */
  private requireStarting(): void {
    if (this.shared || performance.now() >= this.startsAgainAt) return;
    throw postponingFailure("Files can't be processed right now.");
  }

  private noteEnd(hasStarted: boolean): void {
    if (!hasStarted) this.startsAgainAt = performance.now() + START_RETRY_INTERVAL_MS;
  }

  private startShared(): WorkerProcess {
    const { idleMs = 5 * MINUTE } = this.options;
    const started = new WorkerProcess(this.options, {
      settled: () => {
        clearTimeout(this.idle);
        if (started.isIdle) this.idle = setTimeout(() => void started.stop(), idleMs);
      },
      ended: (suspects, hasStarted) => {
        if (this.shared === started) this.shared = null;
        this.noteEnd(hasStarted);
        if (suspects.length < 2) return;
        for (const job of suspects) this.suspects.set(sourceOf(job), true);
      },
    });
    return started;
  }

  private async runSeparately<Job extends MediaJob>(job: Job, options: RunOptions) {
    let hasEnded = false;
    const own = new WorkerProcess(this.options, {
      settled: () => {},
      ended: (_suspects, hasStarted) => {
        this.separate.delete(own);
        this.noteEnd(hasStarted);
        hasEnded = true;
      },
    });
    this.separate.add(own);
    try {
      return await own.run(job, options);
    } finally {
      if (!hasEnded) {
        this.suspects.delete(sourceOf(job));
        await own.stop();
      }
    }
  }
}

/** Returns the key of what a job reads, which is the same at each attempt. */
function sourceOf(job: MediaJob): string {
  if (job.kind === 'video') return job.sources[0] ?? '';
  return job.kind === 'probe' ? job.head : job.source;
}
