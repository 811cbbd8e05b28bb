/** Locks by name. Among all processes that share a database, each is held once at a time. */
export type Locks = {
  /** Null where it is held, in this process or in another. */
  tryTake(name: string): Promise<Lock | null>;
  close(): Promise<void>;
};

export type Lock = {
  /** Aborted when somebody else may hold it by now, as the connection it hung on is gone. */
  lost: AbortSignal;
  /** May be called more than once. */
  release(): Promise<void>;
};
