import { KIB, SECOND } from '../../contract/limits.ts';

/** How long a server may be silent, which one on a bad line that repeats lost packets is not. */
const DEFAULT_STALL_MS = 30 * SECOND;
/** A server that sends less in that time would hold its place for days with a file of some MiB. */
const MIN_PROGRESS_BYTES = 16 * KIB;

/** The other side has sent too little for too long. */
export class StalledError extends Error {
  override name = 'StalledError';
}

/**
 * Bounds the time that is spent waiting for the other side, not the time of the whole work: what it takes to store what
 * has arrived does not count, and a transfer may last as long as it makes progress.
 */
export class StallGuard {
  private waitedMs = 0;
  private bytes = 0;

  /** @param onStall ends the work that is waited for */
  constructor(
    private readonly onStall: (error: StalledError) => void,
    private readonly stallMs = DEFAULT_STALL_MS,
    private readonly now = () => performance.now(),
  ) {}

  /** How long the other side may be waited for before it sends more. */
  get remainingMs(): number {
    return this.stallMs - this.waitedMs;
  }

  /** Waits for work of the other side. `onStall` is called, and this throws StalledError, where it takes too long. */
  async wait<Result>(work: Promise<Result>): Promise<Result> {
    const startedAt = this.now();
    const stalled = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const error = new StalledError('The server stopped sending.');
      stalled.reject(error);
      this.onStall(error);
    }, this.remainingMs);
    try {
      return await Promise.race([work, stalled.promise]);
    } finally {
      clearTimeout(timer);
      this.waitedMs += this.now() - startedAt;
    }
  }

  /** To be called with how many bytes have come. Enough of them give the other side all of its time again. */
  progress(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes < MIN_PROGRESS_BYTES) return;
    this.bytes = 0;
    this.waitedMs = 0;
  }
}
