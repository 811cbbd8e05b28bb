/** Counts what somebody does, and says when it is enough for a while. */
export type Limiter = {
  /** Counts one. Throws AppError too-many, with the time to wait, past the limit. */
  take(key: string): Promise<void>;
  /** Takes one back that turned out not to count. */
  giveBack(key: string): Promise<void>;
};

export type Limits = {
  /** `points` in any window of `duration` milliseconds, for each key. `name` is the limiter's own. */
  limiter(options: { name: string; points: number; duration: number }): Limiter;
  close(): Promise<void>;
};
