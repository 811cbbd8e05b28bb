/** Limits how much work of a key, such as an account, runs at the same time in this process. None of it waits. */
export class KeyedSemaphore {
  private readonly running = new Map<string, number>();

  /** @param refusal returns the error for work that finds no place */
  constructor(
    private readonly max: number,
    private readonly refusal: () => Error,
  ) {}

  /** Runs work in a place of a key. Throws what `refusal` returns. */
  async run<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const free = this.acquire(key);
    try {
      return await work();
    } finally {
      free();
    }
  }

  /** Takes a place of a key, and returns the function that frees it. Throws what `refusal` returns. */
  acquire(key: string): () => void {
    const count = this.running.get(key) ?? 0;
    if (count >= this.max) throw this.refusal();
    this.running.set(key, count + 1);
    return () => {
      const left = (this.running.get(key) ?? 1) - 1;
      if (left > 0) this.running.set(key, left);
      else this.running.delete(key);
    };
  }
}
