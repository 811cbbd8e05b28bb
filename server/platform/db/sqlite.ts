import { Database as Sqlite, type Statement } from 'bun:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  sql,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import { storageFull } from '../../errors.ts';
import { type Database, toNumber } from './port.ts';
import type { Tables } from './tables.ts';

/**
 * Opens a SQLite file for reading and writing, and creates it when it is missing. With `synchronous = FULL`
 * a commit is on the disk before it returns.
 */
export function openSqlite(path: string): Database {
  return openFile(new Sqlite(path, { create: true, strict: true, safeIntegers: true }), [
    'journal_mode = WAL',
    'synchronous = FULL',
    'busy_timeout = 5000',
    'foreign_keys = ON',
  ]);
}

/** Opens an existing SQLite file for reading, also while another process writes to it. */
export function openSqliteForReading(path: string): Database {
  const file = new Sqlite(path, { readonly: true, strict: true, safeIntegers: true });
  return openFile(file, ['busy_timeout = 5000']);
}

function openFile(file: Sqlite, pragmas: string[]): Database {
  for (const pragma of pragmas) file.run(`pragma ${pragma}`);
  const db = new Kysely<Tables>({ dialect: new ImmediateSqliteDialect(file) });
  return {
    engine: 'sqlite',
    db,
    transaction: (work) => db.transaction().execute(work),
    async check() {
      await sql`select 1`.execute(db);
    },
    close: () => db.destroy(),
  };
}

/**
 * Starts transactions with `begin immediate`: a deferred `begin` fails with SQLITE_BUSY as soon as two
 * processes write.
 */
class ImmediateSqliteDriver extends SqliteDriver {
  readonly #file: Sqlite;
  constructor(config: SqliteDialectConfig, file: Sqlite) {
    super(config);
    this.#file = file;
  }
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
  /**
   * SQLite rolls back by itself when the disk is full. A second rollback would fail and hide the first
   * error from the caller.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#file.inTransaction) await super.rollbackTransaction(connection);
  }
}

/**
 * SQLite runs schema changes in a transaction, so an upgrade that fails or is killed leaves nothing half
 * done.
 */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true;
  }
}

class ImmediateSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;
  readonly #file: Sqlite;
  constructor(file: Sqlite) {
    const config = { database: adaptToBetterSqlite(file) };
    super(config);
    this.#config = config;
    this.#file = file;
  }
  override createAdapter() {
    return new TransactionalSqliteAdapter();
  }
  override createDriver() {
    return new ImmediateSqliteDriver(this.#config, this.#file);
  }
}

type Row = Record<string, unknown>;

const convert = (row: unknown): Row => {
  const converted = row as Row;
  for (const name in converted) {
    const value = converted[name];
    if (typeof value === 'bigint') converted[name] = toNumber(value);
  }
  return converted;
};

function withTranslatedErrors<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw (error as { code?: string }).code === 'SQLITE_FULL' ? storageFull() : error;
  }
}

/** Prepared statements that are kept. bun:sqlite itself keeps 20, and one upload uses more. */
const MAX_STATEMENTS = 300;

/** Adapts bun:sqlite to the interface of better-sqlite3, which Kysely's dialect expects. */
function adaptToBetterSqlite(
  file: Sqlite,
): Exclude<SqliteDialectConfig['database'], (...args: never[]) => unknown> {
  const statements = new LRUCache<string, Statement<Row, never[]>>({
    max: MAX_STATEMENTS,
    memoMethod: (text) => file.prepare(text),
  });
  return {
    close() {
      // SQLite keeps a file open for as long as one of its statements is not finalized.
      for (const statement of statements.values()) statement.finalize();
      statements.clear();
      file.close();
    },
    prepare(text) {
      const statement = statements.memo(text);
      return {
        reader: statement.columnNames.length > 0,
        all: (parameters) =>
          withTranslatedErrors(() => statement.all(...(parameters as never[])).map(convert)),
        run: (parameters) => withTranslatedErrors(() => statement.run(...(parameters as never[]))),
        *iterate(parameters) {
          for (const row of statement.iterate(...(parameters as never[]))) yield convert(row);
        },
      };
    },
  };
}
