import { Database as Sqlite } from 'bun:sqlite';
import { type CompiledQuery, Kysely } from 'kysely';
import { upstreamUnavailable } from '../../server/errors.ts';
import { runWithCommits } from '../../server/platform/db/after-commit.ts';
import { explainGuards, runStatements } from '../../server/platform/db/batch.ts';
import { migrate } from '../../server/platform/db/migrate.ts';
import type { Database, Tx } from '../../server/platform/db/port.ts';
import { SqliteConnection } from '../../server/platform/db/sqlite/connection.ts';
import { type Engine, ThreadedSqliteDialect } from '../../server/platform/db/sqlite/dialect.ts';
import { translateSqliteError } from '../../server/platform/db/sqlite/errors.ts';
import type { Tables } from '../../server/platform/db/tables.ts';
import type { Life } from './life.ts';
import type { World } from './world.ts';

const MAX_NAME_LENGTH = 60;
/** How often a transaction breaks before its commit. */
const ROLLBACK_PROBABILITY = 0.5;

const lost = () =>
  upstreamUnavailable(new Error('the connection broke'), 'The database is not responding.', 1000);

/**
 * A SQLite database in memory that several simulated processes share. A transaction is one call of the
 * world: only its end can be seen by others. Its connection can break before it, at its end, and after its
 * commit.
 */
export class SimulatedDatabase {
  /** Without faults, for the test itself. */
  readonly direct: Database;
  private readonly connection: SqliteConnection;
  private readonly commits = new WeakMap<Tx, (() => void)[]>();

  constructor(private readonly world: World) {
    const file = new Sqlite(':memory:', { strict: true, safeIntegers: true });
    file.run('pragma foreign_keys = ON');
    this.connection = new SqliteConnection(file);
    this.direct = this.open(new InlineEngine(this.connection), (work) => work());
  }

  async migrate(): Promise<void> {
    await migrate(this.direct);
  }

  /** Returns the database as a process sees it. */
  of(life: Life): Database {
    const { world, connection } = this;
    const waiting = new InlineEngine(connection, (name, run) =>
      world.call(life, name, run, { lost }),
    );
    return this.open(
      waiting,
      (work) => world.call(life, 'transaction', work, { lost }),
      () => {
        const { before, after } = world.faults;
        if (world.chance((before + after) * ROLLBACK_PROBABILITY)) throw lost();
      },
    );
  }

  close(): void {
    this.connection.close();
  }

  /** Calls `then` with the commit of a transaction, also where its process does not learn of it. */
  onCommit(tx: Tx, then: () => void): void {
    this.commits.set(tx, [...(this.commits.get(tx) ?? []), then]);
  }

  private open(
    engine: Engine,
    inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>,
    beforeCommit = () => {},
  ): Database {
    const db = new Kysely<Tables>({ dialect: new ThreadedSqliteDialect(engine) });
    const inner = new Kysely<Tables>({
      dialect: new ThreadedSqliteDialect(new InlineEngine(this.connection)),
    });
    const transaction: Database['transaction'] = (work) =>
      runWithCommits(work, (watched) =>
        explainGuards(() =>
          inTurn(async () => {
            let committed: (() => void)[] = [];
            const result = await inner.transaction().execute(async (tx) => {
              const result = await watched(tx);
              beforeCommit();
              committed = this.commits.get(tx) ?? [];
              return result;
            });
            for (const then of committed) then();
            return result;
          }),
        ),
      );
    return {
      engine: 'sqlite',
      db,
      transaction,
      batch: (statements) => transaction((tx) => runStatements(tx, statements)),
      check: async () => {},
      close: async () => {},
    };
  }
}

type InTurn = <Result>(name: string, run: () => Result) => Promise<Result>;

/** Runs statements on the event loop, each when its turn comes. */
class InlineEngine implements Engine {
  constructor(
    private readonly connection: SqliteConnection,
    private readonly inTurn: InTurn = async (_name, run) => run(),
  ) {}

  run({ sql, parameters }: CompiledQuery) {
    const name = sql.replace(/\s+/g, ' ').trim().slice(0, MAX_NAME_LENGTH);
    return this.inTurn(`query ${name}`, () => this.execute(sql, parameters));
  }

  async begin() {
    this.execute('begin immediate');
    return {
      run: async ({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) =>
        this.execute(sql, parameters),
      commit: async () => void this.execute('commit'),
      rollback: () => void this.execute('rollback'),
    };
  }

  async check() {}
  async close() {}

  private execute(sql: string, parameters: readonly unknown[] = []) {
    try {
      return this.connection.run({ sql, parameters });
    } catch (error) {
      throw translateSqliteError(error as Error);
    }
  }
}
