import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  Transaction,
} from 'kysely';
import type { Answer, Query } from './protocol.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** What runs the statements of a database. */
export type Engine = {
  run(query: CompiledQuery): Answer | Promise<Answer>;
  begin(): Promise<Pick<WriteTransaction, 'run' | 'commit' | 'rollback'>>;
  /** Throws when the database does not respond. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/** Kysely's view of an engine. A connection is only an object, so there are as many as callers. */
export class ThreadedSqliteDialect implements Dialect {
  private readonly engine: Engine;
  private readonly driver: Driver;
  constructor(engine: Engine) {
    this.engine = engine;
    this.driver = new ThreadedDriver(engine);
  }
  createDriver = (): Driver => this.driver;
  createAdapter = () => new ThreadedSqliteAdapter();
  createQueryCompiler = () => new ThreadedSqliteCompiler();
  createIntrospector = (db: Kysely<unknown>) => new SqliteIntrospector(db);

  /**
   * Runs `work` in one transaction. In Kysely's own, a statement would wait for the answer of the one before
   * it; here those that are started together are sent together.
   */
  async transaction<Schema, Result>(
    db: Kysely<Schema>,
    work: (tx: Transaction<Schema>) => Promise<Result>,
  ): Promise<Result> {
    const transaction = await this.engine.begin();
    const connection = new ThreadedConnection(this.engine);
    connection.transaction = transaction;
    const executor = db.getExecutor().withConnectionProvider({
      provideConnection: (consumer) => consumer(connection),
    });
    const props = { config: { dialect: this }, dialect: this, driver: this.driver, executor };
    try {
      const result = await work(new Transaction<Schema>(props));
      await transaction.commit();
      return result;
    } catch (error) {
      transaction.rollback();
      throw error;
    }
  }
}

/**
 * SQLite prepares a statement that joins tables again for each call, as the values could change its plan, which takes ten
 * times as long as to run it. They never do here, as it is built without samples of its indexes. It does not look behind
 * the operator, which leaves any value as it is.
 */
class ThreadedSqliteCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }
}

class ThreadedSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true;
  }
  /**
   * SQLite runs schema changes in a transaction, so an upgrade that fails or is killed leaves nothing half
   * done.
   */
  override get supportsTransactionalDdl() {
    return true;
  }
}

class ThreadedConnection implements DatabaseConnection {
  transaction: Awaited<ReturnType<Engine['begin']>> | null = null;
  private readonly engine: Engine;
  constructor(engine: Engine) {
    this.engine = engine;
  }
  async executeQuery<Result>(query: CompiledQuery): Promise<QueryResult<Result>> {
    const answer = this.transaction
      ? await this.transaction.run(toQuery(query))
      : await this.engine.run(query);
    return answer as QueryResult<Result>;
  }
  // biome-ignore lint/correctness/useYield: it only throws
  async *streamQuery<Result>(): AsyncIterableIterator<QueryResult<Result>> {
    throw new Error('Read in pages by key instead; a stream would keep a thread.');
  }
}

const toQuery = ({ sql, parameters }: CompiledQuery): Query => ({ sql, parameters });

class ThreadedDriver implements Driver {
  private readonly engine: Engine;
  constructor(engine: Engine) {
    this.engine = engine;
  }
  async init() {}
  async acquireConnection() {
    return new ThreadedConnection(this.engine);
  }
  async beginTransaction(connection: DatabaseConnection) {
    (connection as ThreadedConnection).transaction = await this.engine.begin();
  }
  async commitTransaction(connection: DatabaseConnection) {
    await (connection as ThreadedConnection).transaction?.commit();
  }
  async rollbackTransaction(connection: DatabaseConnection) {
    (connection as ThreadedConnection).transaction?.rollback();
  }
  async releaseConnection() {}
  destroy = () => this.engine.close();
}
