/** A transaction as a test sees it. */
export type WatchedTransaction = {
  /** The statements so far. */
  statements: () => { count: number; last: string };
  /** Whether the transaction is open and no statement runs. */
  isIdle: () => boolean;
  fail: (error: Error) => void;
};

/** What tests put between the threads of a database and their callers. */
export type Instrumentation = {
  /** Returns a promise that settles like that of a thread's reply. */
  passOn<Result>(reply: Promise<Result>): Promise<Result>;
  /** Returns a function that is called whenever the transaction gets control. */
  watch(transaction: WatchedTransaction): () => void;
};

const NOTHING = () => {};
let current: Instrumentation = { passOn: (reply) => reply, watch: () => NOTHING };

export const instrumentation = (): Instrumentation => current;

/** Replaces what is between threads and callers, for all databases of this process. */
export const instrument = (next: Instrumentation): void => {
  current = next;
};
