/** Locks by name. Unless it is shared, only one holder at a time has a lock, among all processes that share a database. */
export type Locks = {
  /** Returns null where the lock is held, by this process or by another one. */
  tryTake(name: string): Promise<Lock | null>;
  /**
   * Takes a lock that other processes can share. Returns null where one of them holds it alone, or where this
   * process has it already.
   */
  tryShare(name: string): Promise<Lock | null>;
  close(): Promise<void>;
};

export type Lock = {
  /** Aborted when the connection that held the lock is gone, so that another process may hold it now. */
  lost: AbortSignal;
  /** Can be called more than once. */
  release(): Promise<void>;
};
