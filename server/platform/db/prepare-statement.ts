import {
  type CompiledQuery,
  type DialectAdapter,
  type QueryResult,
  type RawBuilder,
  sql,
} from 'kysely';
import { type Executor, isOnPostgres } from './port.ts';
import { keepStatement } from './statement-names.ts';

/** What a value is while its statement is built. */
class Placeholder {
  constructor(readonly name: string) {}
}

type Value = string | number | null;

/** A query, which Kysely builds. */
type Built<Row> = { compile(db: Executor): CompiledQuery<Row> };

type Prepared<Values, Row> = {
  (db: Executor, values: Values): Promise<QueryResult<Row>>;
  /** Returns the statement for a batch. */
  query(db: Executor, values: Values): CompiledQuery<Row>;
};

/**
 * Returns a function that runs a statement which is built once for each database: Kysely takes five times as
 * long to build a statement as to run it, which counts where an upload waits for a dozen of them. The text
 * must not depend on the values, and every call must give all of them.
 */
export function prepareStatement<Values extends Record<keyof Values, Value>, Row>(
  build: (db: Executor, values: Values) => Built<Row>,
): Prepared<Values, Row> {
  const statements = new WeakMap<DialectAdapter, CompiledQuery<Row>>();
  const query = (db: Executor, values: Values): CompiledQuery<Row> => {
    const { adapter } = db.getExecutor();
    let statement = statements.get(adapter);
    if (!statement) {
      statement = build(db, placeholdersOf(values)).compile(db);
      statements.set(adapter, statement);
      keepStatement(statement.sql);
    }
    const parameters = statement.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    );
    return { ...statement, parameters };
  };
  return Object.assign((db: Executor, values: Values) => db.executeQuery<Row>(query(db, values)), {
    query,
  });
}

const placeholdersOf = <Values extends object>(values: Values): Values =>
  Object.fromEntries(Object.keys(values).map((name) => [name, new Placeholder(name)])) as Values;

/**
 * Returns a condition that is true where a column is one of some texts. They are a single parameter, so that the text
 * of a statement doesn't depend on their number and its plan can be kept: PostgreSQL takes several times as long to plan
 * a page of ids as to read it.
 * @param texts a JSON array
 */
export function isAmong(db: Executor, column: string, texts: string): RawBuilder<boolean> {
  return isOnPostgres(db)
    ? sql`${sql.ref(column)} = any(array(select json_array_elements_text(${texts}::json)))`
    : sql`${sql.ref(column)} in (select value from json_each(${texts}))`;
}
