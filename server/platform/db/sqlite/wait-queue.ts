import { databaseBusy } from './errors.ts';

type Waiting = { since: number; start: () => void; reject: (error: unknown) => void };

/**
 * What waits for a thread, in order. A wait is bounded in number and time, so that callers get 503 instead
 * of piling up behind a database that can't keep up.
 */
export class WaitQueue {
  private readonly waiting: Waiting[] = [];
  private readonly limits: { maxWaiting: number; maxWaitMs: number; onOverdue?: () => void };
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limits: { maxWaiting: number; maxWaitMs: number; onOverdue?: () => void }) {
    this.limits = limits;
  }

  get length(): number {
    return this.waiting.length;
  }

  /** Adds work. `reject` is called instead of `start` with an AppError where it would wait too long. */
  add(start: () => void, reject: (error: unknown) => void): void {
    const { maxWaiting, maxWaitMs } = this.limits;
    if (this.waiting.length >= maxWaiting) {
      reject(databaseBusy(new Error(`${maxWaiting} statements wait for the database.`)));
      return;
    }
    this.waiting.push({ since: performance.now(), start, reject });
    this.timer ??= setTimeout(() => this.expire(), maxWaitMs);
  }

  /** Starts what waits longest. */
  startNext(): void {
    this.waiting.shift()?.start();
    if (this.waiting.length > 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private expire(): void {
    this.timer = undefined;
    const { maxWaitMs, onOverdue } = this.limits;
    const overdue = performance.now() - maxWaitMs;
    while (this.waiting[0] && this.waiting[0].since <= overdue) {
      const error = new Error(`The database had no time for a statement in ${maxWaitMs} ms.`);
      this.waiting.shift()?.reject(databaseBusy(error));
    }
    onOverdue?.();
    const [next] = this.waiting;
    if (next) this.timer ??= setTimeout(() => this.expire(), next.since - overdue);
  }
}
