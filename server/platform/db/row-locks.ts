import { PostgresAdapter } from 'kysely';
import type { Executor } from './port.ts';

/**
 * Whether a database is PostgreSQL, where a query can lock the rows that it reads. SQLite has one writer, which excludes
 * all others until it commits.
 */
export const locksRows = (db: Executor): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;
