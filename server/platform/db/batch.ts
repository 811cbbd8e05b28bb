import type { CompiledQuery } from 'kysely';
import type { Executor } from './port.ts';

/** One statement of a batch. */
export type Statement = {
  query: CompiledQuery;
  /** How many rows it must change, or return where it only reads; any number where this is missing. */
  expect?: number;
  /** Returns what to throw where it was another number. It is called once the batch is undone. */
  otherwise?: () => unknown;
};

/** The code of the error with which an engine reports a guard that has failed. */
export const GUARD_FAILED = 'GUARD_FAILED';

/** A statement of a batch has affected another number of rows than expected, so the batch was undone. */
export class GuardFailedError extends Error {
  override name = 'GuardFailedError';
  readonly code = GUARD_FAILED;

  /** @param index the statement in its batch, from 0 */
  constructor(readonly index: number) {
    super(`Statement ${index} of a batch affected another number of rows than expected.`);
  }
}

/** Throws GuardFailedError where the statement at `index` has affected another number of rows than expected. */
export function requireExpected(
  { expect }: Pick<Statement, 'expect'>,
  index: number,
  { numAffectedRows, rows }: { numAffectedRows?: bigint | undefined; rows: unknown[] },
): void {
  const affected = Number(numAffectedRows ?? rows.length);
  if (expect !== undefined && expect !== affected) throw new GuardFailedError(index);
}

/** Sends a batch. Throws what its statements say where a guard of theirs fails. */
export async function sendBatch(statements: Statement[], send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!(error instanceof GuardFailedError)) throw error;
    throw (await statements[error.index]?.otherwise?.()) ?? error;
  }
}

/**
 * Runs the statements of a batch in a transaction, which must fail where this throws. They are started together,
 * so that SQLite gets them in one message. Throws GuardFailedError.
 */
export async function runStatements(tx: Executor, statements: Statement[]): Promise<void> {
  const outcomes = await Promise.allSettled(statements.map(({ query }) => tx.executeQuery(query)));
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected') throw outcome.reason;
    requireExpected(statements[index] ?? {}, index, outcome.value);
  }
}

/** Runs a batch as a part of a transaction, as `Database.batch` runs it alone. */
export const batchIn = (tx: Executor, statements: Statement[]): Promise<void> =>
  sendBatch(statements, () => runStatements(tx, statements));
