/** Counts attempts by key and rejects those past a limit. */
export type Limiter = {
  /** Counts one attempt. Throws AppError too-many, with the time to wait, past the limit. */
  take(key: string): Promise<void>;
  /** Takes back an attempt that turned out not to count. */
  refund(key: string): Promise<void>;
};

export type Limits = {
  /**
   * Returns a limiter that allows `points` attempts per key in any window of `duration` milliseconds.
   * `name` must be unique.
   */
  limiter(options: { name: string; points: number; duration: number }): Limiter;
  close(): Promise<void>;
};
