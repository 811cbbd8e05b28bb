import { type CompiledQuery, Kysely } from 'kysely';
import { memoizeAsync } from '../../../contract/memoize.ts';
import { AppError } from '../../../errors.ts';
import { runWithCommits } from '../after-commit.ts';
import { explainGuards, GuardFailedError, type Statement } from '../batch.ts';
import type { Database } from '../port.ts';
import type { Tables } from '../tables.ts';
import { connectReader, connectReadOnly, type SqliteConnection } from './connection.ts';
import { type Engine as DialectEngine, ThreadedSqliteDialect } from './dialect.ts';
import { unwrap } from './errors.ts';
import { attempt, type Row } from './protocol.ts';
import { Readers } from './readers.ts';
import { Router } from './routing.ts';
import { Writer } from './writer.ts';

/** Runs batches too, which Kysely has no word for. Throws GuardFailedError. */
type Engine = DialectEngine & { runAll(statements: Statement[]): Promise<Row[][]> };

/**
 * Opens a SQLite file for reading and writing, and creates it when it is missing.
 * @param makeRoom called when the disk is full, before what could not be written is tried once more
 */
export const openSqlite = (path: string, makeRoom?: () => void): Database =>
  toDatabase(new ThreadedEngine(path, makeRoom), makeRoom);

/** Opens an existing SQLite file for reading, also while another process writes to it. */
export const openSqliteForReading = (path: string): Database =>
  toDatabase(new ReadingEngine(connectReadOnly(path)));

function toDatabase(engine: Engine, makeRoom?: () => void): Database {
  const dialect = new ThreadedSqliteDialect(engine);
  const db = new Kysely<Tables>({ dialect });
  return {
    engine: 'sqlite',
    db,
    transaction: (work) =>
      runWithCommits(work, (watched) =>
        explainGuards(() => retryIfFull(() => dialect.transaction(db, watched), makeRoom)),
      ),
    batch: (statements) =>
      explainGuards(() => retryIfFull(() => engine.runAll(statements), makeRoom)),
    check: () => engine.check(),
    async close() {
      await db.destroy();
      // Kysely closes only what it has used.
      await engine.close();
    },
  };
}

/** Tries once more, with room made before, what failed because the disk is full. */
async function retryIfFull<Result>(
  write: () => Promise<Result>,
  makeRoom?: () => void,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    const isFull = error instanceof AppError && error.code === 'storage-full';
    if (!isFull || !makeRoom) throw error;
    makeRoom();
    return write();
  }
}

const runInline = (connection: SqliteConnection, { sql, parameters }: CompiledQuery) =>
  unwrap(attempt(() => connection.run({ sql, parameters })));

const NOTHING = { sql: 'select 1', parameters: [] };

/** Writes on one thread, reads on others, and looks up single rows on the event loop. */
class ThreadedEngine implements Engine {
  private readonly inline: SqliteConnection;
  private readonly router: Router;
  private readonly readers: Readers;
  private readonly path: string;
  private readonly makeRoom: (() => void) | undefined;
  private writer: Writer | undefined;
  private isClosed = false;

  constructor(path: string, makeRoom?: () => void) {
    this.path = path;
    this.makeRoom = makeRoom;
    this.inline = connectReader(path);
    this.router = new Router(this.inline);
    this.readers = new Readers(path);
  }

  run(query: CompiledQuery) {
    const { target, sql } = this.router.route(query);
    if (target === 'inline') return runInline(this.inline, query);
    const { parameters } = query;
    return target === 'reader'
      ? this.readers.run({ sql, parameters })
      : retryIfFull(() => this.startWriter().run({ sql, parameters }), this.makeRoom);
  }

  async begin() {
    return this.startWriter().begin();
  }

  async runAll(statements: Statement[]) {
    const queries = statements.map(({ query: { sql, parameters }, expect }) => ({
      ...{ sql, parameters, expect },
    }));
    try {
      return await this.startWriter().runAll(queries);
    } catch (error) {
      if (!(error instanceof GuardFailedError)) throw error;
      throw new GuardFailedError(error.index, statements[error.index]?.otherwise);
    }
  }

  /** Waits its turn at the writer, so it fails where writes wait too long. */
  async check() {
    await this.startWriter().run(NOTHING);
  }

  close(): Promise<void> {
    this.isClosed = true;
    return this.closeOnce();
  }

  /** The connection of the event loop is the last one, and folds the log into the file. */
  private readonly closeOnce = memoizeAsync(async () => {
    await this.writer?.close();
    await this.readers.close();
    this.inline.close();
  });

  private startWriter(): Writer {
    if (this.isClosed) throw new Error('The database is closed.');
    this.writer ??= new Writer(this.path);
    return this.writer;
  }
}

/** Reads on the event loop, in commands that do nothing else meanwhile. */
class ReadingEngine implements Engine {
  private readonly connection: SqliteConnection;
  private isOpen = true;
  constructor(connection: SqliteConnection) {
    this.connection = connection;
  }
  run(query: CompiledQuery) {
    return runInline(this.connection, query);
  }
  async check() {
    this.connection.run(NOTHING);
  }
  async begin(): Promise<never> {
    throw new Error('The database is open read-only.');
  }
  runAll = () => this.begin();
  async close() {
    if (this.isOpen) this.connection.close();
    this.isOpen = false;
  }
}
