import { existsSync } from 'node:fs';
import type { Config, PostgresConfig } from '../config/config.ts';
import { OperatorError } from '../config/operator-error.ts';
import type { Database } from '../platform/db/port.ts';
import { openSqlite, openSqliteForReading } from '../platform/db/sqlite/open.ts';
import { openMemoryEvents } from '../platform/events/memory.ts';
import type { Events } from '../platform/events/port.ts';
import { openMemoryLimits } from '../platform/limits/memory.ts';
import type { Limits } from '../platform/limits/port.ts';
import { openMemoryLocks } from '../platform/locks/memory.ts';
import type { Locks } from '../platform/locks/port.ts';

/*
 * Opens the database, and events, limits and locks, which are in PostgreSQL or, beside SQLite, in memory.
 * The PostgreSQL client is loaded only where it is used, because the server starts faster without it.
 */

/** @param makeRoom called when SQLite finds the disk full */
export async function openDatabase({ database }: Config, makeRoom?: () => void): Promise<Database> {
  if (database.kind === 'sqlite') return openSqlite(database.path, makeRoom);
  return openPooled(database);
}

async function openPooled({ url, sessionUrl, poolSize }: PostgresConfig): Promise<Database> {
  const { openPostgres } = await import('../platform/db/postgres.ts');
  return openPostgres(url, { poolSize, hasPooler: url !== sessionUrl });
}

/**
 * Opens the database for migrations. In PostgreSQL they need one session, and may take as long as they need,
 * so that they have connections of their own. With SQLite it is `database`.
 */
export async function openForMigrations(
  { database: where }: Pick<Config, 'database'>,
  database: Database,
): Promise<Database> {
  if (where.kind === 'sqlite') return database;
  const { openPostgres } = await import('../platform/db/postgres.ts');
  return openPostgres(where.sessionUrl, { timeouts: null });
}

/** Where a pooler is used, gives its sessions the settings that sessions without one are set up with. */
export async function setUpPooler(
  { database: where }: Pick<Config, 'database'>,
  { db }: Database,
): Promise<void> {
  if (where.kind === 'sqlite' || where.url === where.sessionUrl) return;
  const { setRoleDefaults } = await import('../platform/db/postgres-session.ts');
  await setRoleDefaults(db);
}

/** Throws OperatorError where listening and locks would not work, because of a pooler. */
export async function requireSessions({ database }: Pick<Config, 'database'>): Promise<void> {
  if (database.kind === 'sqlite') return;
  const { keepsSessions } = await import('../platform/db/session-check.ts');
  if (await keepsSessions(database.sessionUrl)) return;
  throw new OperatorError(
    'The database is behind a pooler that gives each transaction another session. Set DATABASE_SESSION_URL to the address of PostgreSQL itself.',
  );
}

export async function openEvents(
  { database }: Pick<Config, 'database'>,
  onError: (error: unknown) => void,
): Promise<Events> {
  if (database.kind === 'sqlite') return openMemoryEvents({ onError });
  const { openPostgresEvents } = await import('../platform/events/postgres.ts');
  return openPostgresEvents({ url: database.sessionUrl, onError });
}

export async function openLimits({ database }: Config): Promise<Limits> {
  if (database.kind === 'sqlite') return openMemoryLimits();
  const { openPostgresLimits } = await import('../platform/limits/postgres.ts');
  return openPostgresLimits(database);
}

export async function openLocks({ database }: Config): Promise<Locks> {
  if (database.kind === 'sqlite') return openMemoryLocks();
  const { PostgresLocks } = await import('../platform/locks/postgres.ts');
  return new PostgresLocks(database.sessionUrl);
}

/** Opens the database for reading only. Throws OperatorError where there is none. */
export async function openDatabaseForReading(database: Config['database']): Promise<Database> {
  if (database.kind === 'sqlite') {
    if (existsSync(database.path)) return openSqliteForReading(database.path);
    throw new OperatorError(`No database found at ${database.path}. Check DATA_DIR.`);
  }
  const { openPostgres } = await import('../platform/db/postgres.ts');
  return openPostgres(database.sessionUrl, { readOnly: true });
}
