import { SECOND } from '../../contract/limits.ts';

const INTERVAL_MS = SECOND;

type Schedule = (run: () => void) => void;

/**
 * Limits messages by key: the first is sent at once, and of those that follow within a second only the
 * last, when the second is over. So the receiver always hears that something has changed.
 */
export class EventThrottle {
  /** The last message of each key since its previous one; null where there was none. */
  private readonly waiting = new Map<string, (() => void) | null>();

  constructor(
    private readonly schedule: Schedule = (run) => setTimeout(run, INTERVAL_MS).unref(),
  ) {}

  /** Sends a message now, or later in place of those that wait. */
  run(key: string, send: () => void): void {
    if (this.waiting.has(key)) {
      this.waiting.set(key, send);
      return;
    }
    this.waiting.set(key, null);
    this.schedule(() => {
      const last = this.waiting.get(key);
      this.waiting.delete(key);
      if (last) this.run(key, last);
    });
    send();
  }
}
