/* What the server and the threads of its SQLite database send each other. */

export type Query = { sql: string; parameters: readonly unknown[] };
export type GuardedQuery = Query & { expect: number | undefined };
export type Row = Record<string, unknown>;
/** What a statement returns, in the form that Kysely expects. */
export type Answer = {
  rows: Row[];
  numAffectedRows?: bigint;
  insertId?: bigint;
  /** The rows that each statement of a batch returns. */
  batch?: Row[][];
};

/**
 * One step of the writer. It joins transactions into a batch: the first `begin` starts SQLite's transaction,
 * each later one a savepoint in it, and `commit` ends them all.
 */
export type Step =
  | { type: 'begin' }
  /** `isAlone` marks a statement outside the transactions of callers, which is one by itself. */
  | { type: 'run'; query: Query; isAlone: boolean }
  /** A transaction as a whole, whose statements must each affect `expect` rows where that is a number. */
  | { type: 'batch'; statements: GuardedQuery[] }
  | { type: 'release' }
  | { type: 'rollback' }
  | { type: 'commit' };

export type Request =
  | { type: 'open'; path: string; isReader: boolean }
  | { type: 'write'; steps: Step[] }
  /** `timeoutMs` ends a statement that takes longer, where its text calls the function of deadline.ts. */
  | { type: 'read'; query: Query; timeoutMs: number }
  | { type: 'close' };

/** An error as it crosses from a thread. Its class would not survive. */
export type ThreadError = {
  name: string;
  message: string;
  code?: string;
  errno?: number;
  index?: number;
};
export type Outcome = { answer: Answer } | { error: ThreadError };
/** The outcomes of the steps that have one, which are `run`, `batch` and `commit`; one for every other request. */
export type Reply = {
  outcomes: Outcome[];
  /** Whether SQLite has ended the transaction of the whole batch, so that its commit will fail. */
  isLost: boolean;
};

/** Whether a step has an outcome that somebody waits for. */
export const isAnswered = ({ type }: Step): boolean =>
  type === 'run' || type === 'batch' || type === 'commit';

/** Runs `work` and returns its answer or its error. */
export function attempt(work: () => Answer): Outcome {
  try {
    return { answer: work() };
  } catch (error) {
    return toOutcome(error);
  }
}

export function toOutcome(error: unknown): { error: ThreadError } {
  const { name, message, code, errno, index } = error as ThreadError;
  return { error: { name, message, code, errno, index } };
}
