import type { Database as Sqlite } from 'bun:sqlite';

/** The SQL function that fails once the time of a statement is over. */
export const DEADLINE_FUNCTION = 'is_in_time';

/** The code of the error of a statement that took too long. */
export const DEADLINE_CODE = 'STATEMENT_TIMEOUT';

/**
 * Ends statements that take too long. SQLite calls back only from its functions, so the statement must call
 * ours for each row that it looks at; see add-deadline.ts.
 */
export class Deadline {
  private endsAt = Number.POSITIVE_INFINITY;

  constructor(file: Sqlite) {
    // The argument is only there so that SQLite calls the function for each row of that table.
    file.function(DEADLINE_FUNCTION, { deterministic: false }, (_rowid: unknown) => {
      if (performance.now() < this.endsAt) return 1;
      throw Object.assign(new Error('The statement took too long.'), { code: DEADLINE_CODE });
    });
  }

  /** Runs a statement, which throws once `timeoutMs` are over. */
  limit<Result>(timeoutMs: number, run: () => Result): Result {
    this.endsAt = performance.now() + timeoutMs;
    try {
      return run();
    } finally {
      this.endsAt = Number.POSITIVE_INFINITY;
    }
  }
}
