import { Database as Sqlite, type Statement } from 'bun:sqlite';
import { LRUCache } from 'lru-cache';
import { toNumber } from '../port.ts';
import type { Answer, Query, Row } from './protocol.ts';

/** Prepared statements that are kept. bun:sqlite itself keeps 20, and one upload uses more. */
const MAX_STATEMENTS = 300;
const BUSY_TIMEOUT_MS = 5000;

const SHARED_PRAGMAS = [`busy_timeout = ${BUSY_TIMEOUT_MS}`];

/**
 * Opens a file for the thread that writes, and creates it when it is missing. With `synchronous = FULL` a
 * commit is on the disk before it returns. Savepoints keep their pages in memory, because a container may
 * have no folder for temporary files.
 */
export const connectWriter = (path: string): SqliteConnection =>
  connect(path, { create: true }, [
    'journal_mode = WAL',
    'synchronous = FULL',
    'foreign_keys = ON',
    'temp_store = MEMORY',
  ]);

/**
 * Opens a file for reading in a process that also writes to it. The connection is a writer's to SQLite, so
 * the last one that closes folds the log into the file, but it refuses statements that change anything.
 */
export const connectReader = (path: string): SqliteConnection =>
  connect(path, { create: true }, ['journal_mode = WAL', 'query_only = ON']);

/** Opens an existing file for reading, also while another process writes to it. */
export const connectReadOnly = (path: string): SqliteConnection =>
  connect(path, { readonly: true }, []);

function connect(path: string, mode: { create: true } | { readonly: true }, pragmas: string[]) {
  const file = new Sqlite(path, { ...mode, strict: true, safeIntegers: true });
  try {
    for (const pragma of [...SHARED_PRAGMAS, ...pragmas]) file.run(`pragma ${pragma}`);
    return new SqliteConnection(file);
  } catch (error) {
    file.close();
    throw error;
  }
}

/** A statement, and whether it returns rows, which SQLite would be asked for at each call. */
type Prepared = { statement: Statement<Row, never[]>; hasRows: boolean };

/** A connection of one thread, with the statements that it has prepared. Each call blocks its thread. */
export class SqliteConnection {
  readonly file: Sqlite;
  private readonly statements: LRUCache<string, Prepared>;

  constructor(file: Sqlite) {
    this.file = file;
    this.statements = new LRUCache({
      max: MAX_STATEMENTS,
      memoMethod: (text) => {
        const statement = file.prepare<Row, never[]>(text);
        return { statement, hasRows: statement.columnNames.length > 0 };
      },
      // SQLite keeps a file open for as long as one of its statements is not finalized.
      dispose: ({ statement }) => statement.finalize(),
    });
  }

  get inTransaction(): boolean {
    return this.file.inTransaction;
  }

  run({ sql, parameters }: Query): Answer {
    const { statement, hasRows } = this.statements.memo(sql);
    const values = parameters as never[];
    if (hasRows) return { rows: statement.all(...values).map(convert) };
    const { changes, lastInsertRowid } = statement.run(...values);
    return {
      rows: [],
      numAffectedRows: BigInt(changes),
      insertId: BigInt(lastInsertRowid),
    };
  }

  close(): void {
    this.statements.clear();
    this.file.close();
  }
}

function convert(row: Row): Row {
  for (const name in row) {
    const value = row[name];
    if (typeof value === 'bigint') row[name] = toNumber(value);
  }
  return row;
}
