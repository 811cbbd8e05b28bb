import {
  type CompiledQuery,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Statement as Batched } from '../../server/platform/db/batch.ts';
import type { Database } from '../../server/platform/db/port.ts';
import { anyValue, type Special, toParameter } from './any-value.ts';

export type Engine = Database['engine'];
export type Statement = { text: string; parameters: unknown[] };
type Call = (...values: unknown[]) => unknown;

/** A function that asks again for as long as there are rows is stopped after so many statements. */
const MAX_STATEMENTS = 40;
const VALUES = 8;

class TooManyStatementsError extends Error {}

/**
 * Calls a function of a store with made-up arguments, several times: with rows and without any, and with
 * each property of its arguments alone, such as each filter of a list. Returns all statements that it
 * sends to a database of `engine`, and what it threw after it had received rows. Nothing is executed.
 * @param given the first arguments, where they can't be made up; `undefined` stands for a made-up one
 */
export async function statementsOf(
  engine: Engine,
  call: Call,
  given: unknown[] = [],
): Promise<{ statements: Statement[]; error: unknown }> {
  const found = new Map<string, Statement>();
  const names = new Set<string>();
  let error: unknown = null;
  const run = async (hasRows: boolean, watch: (name: string) => boolean) => {
    let count = 0;
    const record = ({ sql, parameters }: CompiledQuery) => {
      count += 1;
      if (count > MAX_STATEMENTS) throw new TooManyStatementsError();
      found.set(sql, toStatement(sql, parameters));
    };
    const special = database(engine, hasRows, record);
    try {
      const values = Array.from({ length: VALUES }, (_, n) => given[n] ?? anyValue(special, watch));
      await finish(await call(...values), record);
    } catch (thrown) {
      if (!(thrown instanceof TooManyStatementsError)) error = thrown;
    }
  };
  const all = (name: string) => Boolean(names.add(name));
  await run(true, all);
  const firstError = error;
  await run(false, all);
  for (const only of ['', ...names]) await run(false, (name) => name === only);
  return { statements: [...found.values()], error: firstError };
}

/** Returns what an argument is in its role as a database, or as a list of services with one. */
function database(
  engine: Engine,
  hasRows: boolean,
  record: (query: CompiledQuery) => void,
): Special {
  const special: Special = {};
  const db = new Kysely<Record<string, never>>({
    dialect: {
      createAdapter: () => (engine === 'sqlite' ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => recordingDriver(record, () => (hasRows ? [anyValue(special)] : [])),
      createIntrospector: (own) =>
        engine === 'sqlite' ? new SqliteIntrospector(own) : new PostgresIntrospector(own),
      createQueryCompiler: () =>
        engine === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler(),
    },
  });
  for (const name of QUERIES) special[name] = (db[name] as Call).bind(db);
  const whole = anyValue(special);
  return Object.assign(special, {
    engine,
    dynamic: db.dynamic,
    ...Object.fromEntries(OPENERS.map((name) => [name, whole])),
    transaction: async (work: (tx: unknown) => unknown) => work(whole),
    clock: () => 1,
    // An argument may also be the signal that stops long work.
    aborted: false,
    throwIfAborted: () => {},
    addEventListener: () => {},
    removeEventListener: () => {},
  });
}

/** Whether a statement inserts values that it names, which finds rows by unique keys only. */
export const isPlainInsert = ({ text }: Statement): boolean =>
  /^\s*insert\b/i.test(text) && !/\bselect\b/i.test(text);

/**
 * A change whose columns the caller chooses has none if it is made up, so it is replaced by a query that
 * finds its rows in the same way.
 */
const toStatement = (text: string, parameters: readonly unknown[]): Statement => ({
  text: text.replace(
    /^update ("\w+") set +where (.*?)( returning .*)?$/s,
    'select * from $1 where $2',
  ),
  parameters: parameters.map(toParameter),
});

/** Executes what a function returns: a query, statements of a batch, or the rows that it yields. */
async function finish(result: unknown, record: (query: CompiledQuery) => void): Promise<void> {
  if (typeof result !== 'object' || result === null) return;
  for (const statement of [result].flat()) {
    // A made-up row has every property, but none of its own.
    if (Object.hasOwn(statement, 'query')) record((statement as Batched).query);
  }
  if ('execute' in result && typeof result.execute === 'function') await result.execute();
  if (Symbol.asyncIterator in result) {
    for await (const _ of result as AsyncIterable<unknown>);
  }
}

const QUERIES = [
  ...(['selectFrom', 'insertInto', 'updateTable', 'deleteFrom', 'with', 'withRecursive'] as const),
  ...(['getExecutor', 'executeQuery', 'selectNoFrom'] as const),
];
/** The names under which services and databases hand on a database or a transaction. */
const OPENERS = ['database', 'db', 'tx', 'executor', 'reading', 'readers'];

function recordingDriver(record: (query: CompiledQuery) => void, rows: () => unknown[]): Driver {
  const answer = (query: CompiledQuery) => {
    record(query);
    return { rows: rows(), numAffectedRows: 1n } as never;
  };
  const connection = {
    executeQuery: async (query: CompiledQuery) => answer(query),
    async *streamQuery(query: CompiledQuery) {
      yield answer(query);
    },
  };
  const nothing = async () => {};
  return {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  };
}
