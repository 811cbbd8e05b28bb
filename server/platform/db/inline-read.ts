import { type Expression, sql } from 'kysely';

/** What marks a statement that SQLite runs on the event loop. PostgreSQL ignores it, as any comment. */
export const INLINE_MARK = '/* inline */';

type Selection<Query> = { modifyEnd(modifier: Expression<unknown>): Query };

/**
 * Marks a query that reads a few rows by an index, as a lookup by a unique key does: SQLite runs it on the
 * event loop in some 4 µs, where the way to a thread takes 20. `tests/plans` checks that the mark is where
 * it belongs. The text of raw SQL takes `INLINE_MARK` at its end.
 *
 * To use as `query.$call(inlineRead)`.
 */
export const inlineRead = <Query extends Selection<Query>>(query: Query): Query =>
  query.modifyEnd(sql.raw(INLINE_MARK));
