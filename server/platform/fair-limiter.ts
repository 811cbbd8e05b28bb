/** How much work may run and wait at the same time: all of it, and that of one key. */
export type FairLimits = {
  running: number;
  runningPerKey: number;
  waiting: number;
  waitingPerKey: number;
};

type Waiter = { start: () => void; refuse: (reason: unknown) => void };

/**
 * Shares places among keys, such as accounts or buckets. The keys that wait take turns, so however much work
 * one of them has, the next piece of another one waits for at most one turn of each. When everybody together
 * waits with too much, the key with the longest line loses its last piece of work to one with less.
 */
export class FairLimiter {
  private readonly running = new Map<string, number>();
  /** The lines of waiting work, in the order of their turns. No line is empty. */
  private readonly lines = new Map<string, Set<Waiter>>();
  private runningCount = 0;
  private waitingCount = 0;

  /** @param refusal returns the error for work that may not wait */
  constructor(
    private readonly limits: FairLimits,
    private readonly refusal: () => Error,
  ) {}

  /**
   * Runs work in its turn. Work whose signal is aborted while it waits is never started and rejects with the
   * signal's reason at once; the limiter does not interrupt work that has started.
   */
  async run<Value>(key: string, work: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
    signal.throwIfAborted();
    if (this.hasRoom(key)) this.take(key);
    else await this.waitInLine(key, signal);
    try {
      return await work();
    } finally {
      this.free(key);
    }
  }

  private hasRoom(key: string): boolean {
    const { running, runningPerKey } = this.limits;
    return this.runningCount < running && (this.running.get(key) ?? 0) < runningPerKey;
  }

  private take(key: string): void {
    this.runningCount += 1;
    this.running.set(key, (this.running.get(key) ?? 0) + 1);
  }

  private free(key: string): void {
    this.runningCount -= 1;
    const remaining = (this.running.get(key) ?? 0) - 1;
    if (remaining > 0) this.running.set(key, remaining);
    else this.running.delete(key);
    this.startNext();
  }

  /** Starts the first work of the first key in turn that may run more, and puts that key at the end. */
  private startNext(): void {
    for (const [key, line] of this.lines) {
      const [waiter] = line;
      if (!waiter || !this.hasRoom(key)) continue;
      this.leaveLine(key, waiter);
      if (line.size > 0) {
        this.lines.delete(key);
        this.lines.set(key, line);
      }
      this.take(key);
      waiter.start();
      return;
    }
  }

  private async waitInLine(key: string, signal: AbortSignal): Promise<void> {
    this.requireRoomInLine(key);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { start: resolve, refuse: reject };
    const line = this.lines.get(key) ?? new Set();
    this.lines.set(key, line.add(waiter));
    this.waitingCount += 1;
    const leave = () => {
      this.leaveLine(key, waiter);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave);
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  private leaveLine(key: string, waiter: Waiter): void {
    const line = this.lines.get(key);
    if (!line?.delete(waiter)) return;
    this.waitingCount -= 1;
    if (line.size === 0) this.lines.delete(key);
  }

  /** Throws the refusal where a key may not wait with more, or takes the room from the longest line. */
  private requireRoomInLine(key: string): void {
    const { waiting, waitingPerKey } = this.limits;
    const length = this.lines.get(key)?.size ?? 0;
    if (length >= waitingPerKey) throw this.refusal();
    if (this.waitingCount < waiting) return;
    const [longestKey, longest] = this.longestLine();
    const last = [...longest].at(-1);
    if (!last || longest.size <= length + 1) throw this.refusal();
    this.leaveLine(longestKey, last);
    last.refuse(this.refusal());
  }

  private longestLine(): [key: string, line: Set<Waiter>] {
    let longest: [string, Set<Waiter>] = ['', new Set()];
    for (const entry of this.lines) if (entry[1].size > longest[1].size) longest = entry;
    return longest;
  }
}
