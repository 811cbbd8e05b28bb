import {
  type CompiledQuery,
  DeleteQueryNode,
  InsertQueryNode,
  SelectQueryNode,
  UpdateQueryNode,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import { addDeadline } from './add-deadline.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Where a statement outside transactions runs: on the event loop, where it costs 4 µs and the way to a
 * thread some 20; on a reader; or on the writer.
 */
export type Route = { target: 'inline' | 'reader' | 'writer'; sql: string };

const MAX_ROUTES = 1000;
/** A lookup of so many keys takes as long as the way to a thread. */
const MAX_INLINE_PARAMETERS = 20;

/** Decides where statements run, once for each text. */
export class Router {
  readonly #connection: SqliteConnection;
  readonly #routes = new LRUCache<string, Route>({ max: MAX_ROUTES });

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Throws the error of SQLite for a text that it can't read. */
  route(query: CompiledQuery): Route {
    const known = this.#routes.get(query.sql);
    if (known) return known;
    const route = this.#decide(query);
    this.#routes.set(query.sql, route);
    return route;
  }

  #decide(compiled: CompiledQuery): Route {
    const { sql, query, parameters } = compiled;
    const isWrite =
      InsertQueryNode.is(query) || UpdateQueryNode.is(query) || DeleteQueryNode.is(query);
    if (isWrite || (!SelectQueryNode.is(query) && this.#writes(sql)))
      return { target: 'writer', sql };
    if (parameters.length <= MAX_INLINE_PARAMETERS && this.#isPointRead(sql))
      return { target: 'inline', sql };
    return { target: 'reader', sql: addDeadline(compiled, (name) => this.#isTable(name)) };
  }

  #isTable(name: string): boolean {
    return this.#connection.run({ sql: FIND_TABLE, parameters: [name] }).rows.length > 0;
  }

  /** A program of SQLite that writes starts a transaction with a second operand of 1. */
  #writes(sql: string): boolean {
    if (/^\s*explain\b/i.test(sql)) return false;
    const program = this.#connection.explain(`explain ${sql}`);
    return program.some(({ opcode, p2 }) => opcode === 'Transaction' && Number(p2) > 0);
  }

  #isPointRead(sql: string): boolean {
    if (/^\s*explain\b/i.test(sql)) return true;
    const steps = this.#connection.explain(`explain query plan ${sql}`);
    return steps.every(({ detail }) => this.#readsOneRow(String(detail)));
  }

  #readsOneRow(step: string): boolean {
    if (INLINE_STEP.test(step)) return true;
    const { index, key } = INDEX_SEARCH.exec(step)?.groups ?? {};
    if (!index || !key) return false;
    const [found] = this.#connection.run({
      sql: COLUMNS_OF_UNIQUE_INDEX,
      parameters: [index],
    }).rows;
    return found?.columns === key.split('=?').length - 1;
  }
}

/** A step that reads one row at most, nothing at all, or the schema, which is small. */
const INLINE_STEP =
  /^(SEARCH \S+ USING INTEGER PRIMARY KEY \(rowid=\?\)( LEFT-JOIN)?|SCAN CONSTANT ROW|SCAN sqlite_master|(CORRELATED )?SCALAR SUBQUERY \d+)$/;
const INDEX_SEARCH =
  /^SEARCH \S+ USING (COVERING )?INDEX (?<index>\S+) \((?<key>[^<>]*)\)( LEFT-JOIN)?$/;
/** Tables without a rowid get no deadline: their rows are read by account. */
const FIND_TABLE = `select 1 from pragma_table_list where type = 'table' and wr = 0 and name = ?`;
const COLUMNS_OF_UNIQUE_INDEX = `
  select (select count(*) from pragma_index_info(list.name)) as columns
  from sqlite_master as entry, pragma_index_list(entry.tbl_name) as list
  where entry.type = 'index' and entry.name = ?1 and list.name = ?1 and list."unique" = 1`;
