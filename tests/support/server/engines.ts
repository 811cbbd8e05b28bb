import { afterAll, afterEach, beforeEach, describe } from 'bun:test';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import { migrate } from '../../../server/platform/db/migrate.ts';
import type { Database } from '../../../server/platform/db/port.ts';
import { openPostgres } from '../../../server/platform/db/postgres.ts';
import { openSqlite } from '../../../server/platform/db/sqlite/open.ts';
import { startPostgres } from '../services/postgres.ts';
import { migratedSqlite, migrationSources } from './migrated-database.ts';
import { DATABASE_FOLDER, sweepTemporary } from './sweep.ts';

const PREFIX = 'wharf-db-';

export type OpenDatabase = () => Promise<Database>;

/** Orders texts by their bytes, unlike the official image of PostgreSQL, where '~' comes before all letters. */
export const BY_BYTES = `template0 locale_provider libc locale 'C.UTF-8'`;

/** Runs tests on migrated SQLite and PostgreSQL databases. Without PostgreSQL its tests are skipped. */
export async function describeEachEngine(name: string, body: (open: OpenDatabase) => void) {
  describeOnSqlite(`${name} on SQLite`, body);
  await describeOnPostgres(`${name} on PostgreSQL`, body);
}

/** Runs tests on SQLite only, for rules that don't depend on the engine. */
export function describeOnSqlite(name: string, body: (open: OpenDatabase) => void) {
  describe(name, () => closeAfterUse((closers) => body(() => openMigratedSqlite(closers))));
}

/**
 * Runs tests on PostgreSQL only, such as of the locks of rows. Without it they are skipped.
 * @param template of the databases: by default they order texts as most installations do, and with BY_BYTES by their bytes
 */
export async function describeOnPostgres(
  name: string,
  body: (open: OpenDatabase) => void,
  template = 'template1',
) {
  const postgres = await startPostgres();
  describe.skipIf(!postgres)(name, () => {
    closeAfterUse((closers) =>
      body(async () => {
        if (!postgres) throw new Error('PostgreSQL is not on this machine');
        const url = await migratedDatabase(postgres.url, template);
        const database = openPostgres(url);
        closers.push(async () => {
          await database.close();
          await dropDatabases([url]);
        });
        return database;
      }),
    );
  });
}

type Close = () => Promise<void>;

/**
 * Closes what the tests of a `describe` block open: what a test opens after that test, so that its threads
 * and connections serve the next one, and what was opened before all tests after the last.
 */
function closeAfterUse(body: (closers: Close[]) => void) {
  const closers: Close[] = [];
  const closeFrom = async (start: number) => {
    for (const close of closers.splice(start)) await close();
  };
  let kept = 0;
  beforeEach(() => {
    kept = closers.length;
  });
  body(closers);
  afterEach(() => closeFrom(kept));
  afterAll(() => closeFrom(0));
}

let swept: Promise<void> | undefined;

async function openMigratedSqlite(closers: Close[]) {
  swept ??= sweepTemporary(PREFIX, DATABASE_FOLDER);
  await swept;
  const folder = await mkdtemp(join(DATABASE_FOLDER, `${PREFIX}${process.pid}-`));
  const path = join(folder, 'wharf.db');
  await copyFile(await migratedSqlite(), path);
  const database = openSqlite(path);
  closers.push(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });
  return database;
}

/** Creates an empty database. A schema is not enough, as the migrator finds its tables in any schema. */
export const freshDatabase = (url: string): Promise<string> => createDatabase(url, 'template1');

/** Creates a database with all tables. */
export const migratedDatabase = async (url: string, template = 'template1'): Promise<string> =>
  createDatabase(url, await migratedTemplate(url, template));

/** Creates a copy of a database that nobody is connected to. */
export const copyDatabase = (url: string): Promise<string> =>
  createDatabase(url, new URL(url).pathname.slice(1));

async function createDatabase(url: string, template: string): Promise<string> {
  const name = `t${crypto.randomUUID().replaceAll('-', '')}`;
  const server = maintenance(url);
  const { rows } = await server.query('show server_version_num');
  // PostgreSQL 15 logs the copy of each page by default, which takes three times as long.
  const strategy = rows[0].server_version_num >= 150_000 ? 'strategy file_copy' : '';
  await server.query(`create database ${name} template ${template} ${strategy}`);
  const own = new URL(url);
  own.pathname = name;
  return own.href;
}

const pools = new Map<string, Pool>();

/** Returns a connection to a server's own database, which this process keeps. */
function maintenance(url: string): Pool {
  const server = new URL(url);
  server.pathname = 'postgres';
  const pool = pools.get(server.href) ?? new Pool({ connectionString: server.href, max: 1 });
  // A server that is killed breaks the connection; the next query opens another.
  if (!pools.has(server.href)) pool.on('error', () => {});
  pools.set(server.href, pool);
  return pool;
}

/** Drops databases, which take up memory, except those that are still in use. */
export async function dropDatabases(urls: string[]) {
  const [url] = urls;
  if (!url) return;
  for (const one of urls) {
    const name = new URL(one).pathname.slice(1);
    await maintenance(url)
      .query(`drop database ${name}`)
      .catch(() => {});
  }
}

const templates = new Map<string, Promise<string>>();

/**
 * Returns the name of a migrated database to copy, because copying is ten times faster than migrating. All
 * processes that share the server share it.
 */
function migratedTemplate(url: string, empty: string): Promise<string> {
  const key = `${url} ${empty}`;
  const template = templates.get(key) ?? makeTemplate(url, empty);
  templates.set(key, template);
  return template;
}

async function makeTemplate(url: string, empty: string) {
  const sources = [empty, ...(await migrationSources())].join('\0');
  const name = `migrated_${createHash('sha256').update(sources).digest('hex').slice(0, 32)}`;
  const server = new Client({ connectionString: url });
  await server.connect();
  try {
    // The lock ends with the connection.
    await server.query('select pg_advisory_lock(1)');
    const { rows } = await server.query('select 1 from pg_database where datname = $1', [name]);
    if (rows.length > 0) return name;
    const unfinished = await createDatabase(url, empty);
    const database = openPostgres(unfinished);
    await migrate(database);
    // PostgreSQL can't copy or rename a database that has connections.
    await database.close();
    await server.query(`alter database ${new URL(unfinished).pathname.slice(1)} rename to ${name}`);
    return name;
  } finally {
    await server.end();
  }
}
