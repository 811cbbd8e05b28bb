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

/** Runs the statements of a batch one after another, in a transaction. Throws GuardFailedError. */
export async function runStatements(tx: Executor, statements: Statement[]): Promise<void> {
  for (const [index, statement] of statements.entries()) {
    requireExpected(statement, index, await tx.executeQuery(statement.query));
  }
}
