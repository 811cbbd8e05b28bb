import { SECOND } from '../contract/limits.ts';
import type { Locks } from '../platform/locks/port.ts';

/** Work that the server does regularly by itself. */
export type Chore = {
  /** Names the work in the audit log. */
  name: string;
  intervalMs: number;
  /** Whether every process does it for its own memory, instead of one process at a time. */
  isLocal?: boolean;
  /**
   * Does what is due. It ends soon after the signal is aborted, and continues with its next run. It can be
   * killed at any moment, as when it waits for a storage that does not respond.
   */
  run(signal: AbortSignal): Promise<unknown>;
};

/** How long the end of the server waits for a chore. */
const STOP_TIMEOUT_MS = 2 * SECOND;

type ChoreRunnerDeps = {
  locks: Pick<Locks, 'tryTake'>;
  /** Whether no chore may run at the moment. */
  isPaused: () => boolean;
  onFailure: (name: string, error: unknown) => Promise<void>;
};

/**
 * Runs one chore in its own time and under its own lock, so that a long one keeps no other from running.
 * A chore is safe to run in several processes at once; the lock only saves work.
 */
export class ChoreRunner {
  private readonly stopping = new AbortController();
  private timer: ReturnType<typeof setInterval> | null = null;
  private running: Promise<void> | null = null;
  /** Why the last run failed; null where it did not. */
  private failure: string | null = null;

  constructor(
    private readonly chore: Chore,
    private readonly deps: ChoreRunnerDeps,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.run(), this.chore.intervalMs);
    void this.run();
  }

  /** Runs the chore once. A call during a run waits for the end of that run. Never rejects. */
  run(): Promise<void> {
    this.running ??= this.runOnce().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  /** Starts no other run. Waits for the end of this one, but no longer than `timeoutMs` milliseconds. */
  async stop(timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.stopping.abort(new Error('the server is stopping'));
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    await Promise.race([this.running, timeout]);
    clearTimeout(timer);
  }

  private async runOnce(): Promise<void> {
    const { chore, deps, stopping } = this;
    if (deps.isPaused()) return;
    try {
      if (chore.isLocal) await chore.run(stopping.signal);
      else await this.runLocked();
      this.failure = null;
    } catch (error) {
      // An outage is reported once, instead of at each interval while it lasts.
      if (stopping.signal.aborted || this.failure === String(error)) return;
      this.failure = String(error);
      await deps.onFailure(chore.name, error);
    }
  }

  private async runLocked(): Promise<void> {
    const { chore, deps, stopping } = this;
    const lock = await deps.locks.tryTake(`housekeeping: ${chore.name}`);
    if (!lock) return;
    try {
      await chore.run(AbortSignal.any([stopping.signal, lock.lost]));
    } finally {
      await lock.release();
    }
  }
}
