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

  /**
   * @param index the statement in its batch, from 0
   * @param otherwise returns what to throw instead
   */
  constructor(
    readonly index: number,
    readonly otherwise?: Statement['otherwise'],
  ) {
    super(`Statement ${index} of a batch affected another number of rows than expected.`);
  }
}

/** Throws GuardFailedError where the statement at `index` has affected another number of rows than expected. */
export function requireExpected(
  { expect, otherwise }: Pick<Statement, 'expect' | 'otherwise'>,
  index: number,
  { numAffectedRows, rows }: { numAffectedRows?: bigint | undefined; rows: unknown[] },
): void {
  const affected = Number(numAffectedRows ?? rows.length);
  if (expect !== undefined && expect !== affected) throw new GuardFailedError(index, otherwise);
}

/** Runs a batch or a transaction. Throws what a statement says whose guard has failed, once all is undone. */
export async function explainGuards<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GuardFailedError)) throw error;
    throw (await error.otherwise?.()) ?? error;
  }
}

/**
 * Runs the statements of a batch in a transaction, which must fail where this throws. They are started together,
 * so that SQLite gets them in one message and PostgreSQL in one round trip. Returns the rows that each returns. Throws
 * GuardFailedError, which becomes what the statement says once the transaction is undone.
 */
export async function runStatements(tx: Executor, statements: Statement[]): Promise<unknown[][]> {
  // Kysely's own executor would wait for the answer of each before it sends the next one.
  const outcomes = await tx
    .getExecutor()
    .provideConnection((connection) =>
      Promise.allSettled(statements.map(({ query }) => connection.executeQuery(query))),
    );
  return outcomes.map((outcome, index) => {
    // On PostgreSQL those after one that fails fail too, for its sake.
    if (outcome.status === 'rejected') throw outcome.reason;
    requireExpected(statements[index] ?? {}, index, outcome.value);
    return outcome.value.rows;
  });
}
