import { requireExpected } from '../batch.ts';
import type { SqliteConnection } from './connection.ts';
import {
  type Answer,
  attempt,
  type GuardedQuery,
  type Outcome,
  type Reply,
  type Step,
  toOutcome,
} from './protocol.ts';

const SAVEPOINT = 'transaction_of_batch';

/**
 * Joins transactions into one of SQLite's, so that one sync of the disk serves them all. Each can be undone
 * by itself: the first by a rollback of everything, because nothing else has happened yet, and the later
 * ones by their savepoint.
 */
export class BatchWriter {
  private readonly connection: SqliteConnection;
  private hasSavepoint = false;
  /** Why SQLite has ended the transaction of the batch, until its commit reports it. */
  private lost: { error: unknown } | undefined;

  constructor(connection: SqliteConnection) {
    this.connection = connection;
  }

  /** Runs steps in their order. */
  run(steps: Step[]): Reply {
    const outcomes: Outcome[] = [];
    for (const step of steps) {
      if (step.type === 'run') {
        outcomes.push(
          attempt(() =>
            this.guard(() => {
              if (step.isAlone) this.ensureTransaction();
              return this.connection.run(step.query);
            }),
          ),
        );
      } else if (step.type === 'batch') {
        outcomes.push(attempt(() => this.runAll(step.statements)));
      } else if (step.type === 'commit') {
        outcomes.push(this.commit());
      } else {
        this.control(step.type);
      }
    }
    return { outcomes, isLost: this.lost !== undefined };
  }

  /** Runs a transaction that needs nobody between its statements, and undoes it where one of them fails. */
  private runAll(statements: GuardedQuery[]): Answer {
    this.guard(() => this.begin());
    try {
      const batch = statements.map((statement, index) => {
        const answer = this.guard(() => this.connection.run(statement));
        requireExpected(statement, index, answer);
        return answer.rows;
      });
      this.guard(() => this.endSavepoint('release'));
      return { rows: [], batch };
    } catch (error) {
      this.control('rollback');
      throw error;
    }
  }

  /** A failure here is reported by the next statement and by the commit, as nobody waits for these steps. */
  private control(type: 'begin' | 'release' | 'rollback'): void {
    if (this.lost) return;
    try {
      if (type === 'begin') this.begin();
      else if (type === 'release') this.endSavepoint('release');
      else this.rollback();
    } catch (error) {
      this.lose(error);
    }
  }

  private begin(): void {
    if (this.ensureTransaction()) return;
    this.execute(`savepoint ${SAVEPOINT}`);
    this.hasSavepoint = true;
  }

  /**
   * Starts SQLite's transaction and returns true, unless it is open. It takes the write lock at once: a
   * deferred `begin` fails with SQLITE_BUSY as soon as two processes write.
   */
  private ensureTransaction(): boolean {
    if (this.connection.inTransaction) return false;
    try {
      this.execute('begin immediate');
    } catch (error) {
      this.lose(error);
      throw error;
    }
    return true;
  }

  private endSavepoint(command: 'release' | 'rollback to'): void {
    if (this.hasSavepoint) this.execute(`${command} ${SAVEPOINT}`);
    if (command === 'release') this.hasSavepoint = false;
  }

  private rollback(): void {
    if (this.hasSavepoint) {
      this.endSavepoint('rollback to');
      this.endSavepoint('release');
    } else {
      this.execute('rollback');
    }
  }

  private commit(): Outcome {
    if (this.lost) {
      const outcome = toOutcome(this.lost.error);
      this.lost = undefined;
      return outcome;
    }
    const outcome = attempt(() => {
      if (this.connection.inTransaction) this.execute('commit');
      return { rows: [] };
    });
    if (this.connection.inTransaction) this.execute('rollback');
    return outcome;
  }

  /**
   * Runs a statement, and notices when SQLite rolls everything back because of it, as when the disk is full.
   * Later statements must not run then: they would be committed without the earlier ones.
   */
  private guard<Result>(work: () => Result): Result {
    if (this.lost) throw this.lost.error;
    try {
      return work();
    } catch (error) {
      if (!this.connection.inTransaction) this.lose(error);
      throw error;
    }
  }

  private lose(error: unknown): void {
    this.lost ??= { error };
    this.hasSavepoint = false;
    if (this.connection.inTransaction) this.execute('rollback');
  }

  private execute(sql: string): void {
    this.connection.run({ sql, parameters: [] });
  }
}
