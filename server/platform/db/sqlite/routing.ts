import { type CompiledQuery, DeleteQueryNode, InsertQueryNode, UpdateQueryNode } from 'kysely';
import { LRUCache } from 'lru-cache';
import { INLINE_MARK } from '../inline-read.ts';
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

const WRITES = [InsertQueryNode, UpdateQueryNode, DeleteQueryNode];
/** The text of a statement that only reads. A reader refuses to write, so a mistake has no effect. */
const READING_TEXT =
  /^\s*(select|values|explain|pragma|with(?!.*\b(insert into|update|delete from)\b))\b/is;

/** Decides where statements run, once for each text. */
export class Router {
  private readonly connection: SqliteConnection;
  private readonly routes = new LRUCache<string, Route>({ max: MAX_ROUTES });

  constructor(connection: SqliteConnection) {
    this.connection = connection;
  }

  route(query: CompiledQuery): Route {
    const known = this.routes.get(query.sql);
    if (known) return known;
    const route = this.decide(query);
    this.routes.set(query.sql, route);
    return route;
  }

  private decide(compiled: CompiledQuery): Route {
    const { sql, query, parameters } = compiled;
    const isWrite = WRITES.some((node) => node.is(query)) || !READING_TEXT.test(sql);
    if (isWrite) return { target: 'writer', sql };
    if (sql.includes(INLINE_MARK) && parameters.length <= MAX_INLINE_PARAMETERS) {
      return { target: 'inline', sql };
    }
    return { target: 'reader', sql: addDeadline(compiled, (name) => this.isTable(name)) };
  }

  private isTable(name: string): boolean {
    return this.connection.run({ sql: FIND_TABLE, parameters: [name] }).rows.length > 0;
  }
}

/** Tables without a rowid get no deadline: their rows are read by account. */
const FIND_TABLE = `select 1 from pragma_table_list where type = 'table' and wr = 0 and name = ?`;
