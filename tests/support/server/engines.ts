import { afterAll, describe } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'pg';
import { migrate } from '../../../server/platform/db/migrate.ts';
import type { Database } from '../../../server/platform/db/port.ts';
import { openPostgres } from '../../../server/platform/db/postgres.ts';
import { openSqlite } from '../../../server/platform/db/sqlite/open.ts';
import { startPostgres } from '../services/postgres.ts';
import { DATABASE_FOLDER, sweepTemporary } from './sweep.ts';

const PREFIX = 'wharf-db-';

export type OpenDatabase = () => Promise<Database>;

/** Runs tests on migrated SQLite and PostgreSQL databases. Without PostgreSQL its tests are skipped. */
export async function describeEachEngine(name: string, body: (open: OpenDatabase) => void) {
  describeOnSqlite(`${name} on SQLite`, body);
  await describeOnPostgres(`${name} on PostgreSQL`, body);
}

/** Runs tests on SQLite only, for rules that don't depend on the engine. */
export function describeOnSqlite(name: string, body: (open: OpenDatabase) => void) {
  const closers: (() => Promise<void>)[] = [];
  describe(name, () => {
    afterAll(async () => {
      for (const close of closers.splice(0)) await close();
    });
    body(() => openMigratedSqlite(closers));
  });
}

/** Runs tests on PostgreSQL only, such as of the locks of rows. Without it they are skipped. */
export async function describeOnPostgres(name: string, body: (open: OpenDatabase) => void) {
  const postgres = await startPostgres();
  const closers: (() => Promise<void>)[] = [];
  const databases: string[] = [];
  describe.skipIf(!postgres)(name, () => {
    afterAll(async () => {
      for (const close of closers.splice(0)) await close();
      await dropDatabases(databases.splice(0));
    });
    body(async () => {
      if (!postgres) throw new Error('PostgreSQL is not on this machine');
      const url = await migratedDatabase(postgres.url);
      const database = openPostgres(url);
      databases.push(url);
      closers.push(() => database.close());
      return database;
    });
  });
}

async function openMigratedSqlite(closers: (() => Promise<void>)[]) {
  const folder = await mkdtemp(join(DATABASE_FOLDER, `${PREFIX}${process.pid}-`));
  const path = join(folder, 'wharf.db');
  await Bun.write(path, await migratedSqlite());
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
export const migratedDatabase = async (url: string): Promise<string> =>
  createDatabase(url, await migratedTemplate(url));

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

/** Returns a migrated database to copy, made once per process: copying is ten times faster than migrating. */
function migratedTemplate(url: string): Promise<string> {
  const template = templates.get(url) ?? makeTemplate(url);
  templates.set(url, template);
  return template;
}

async function makeTemplate(url: string) {
  const databaseUrl = await freshDatabase(url);
  const database = openPostgres(databaseUrl);
  await migrate(database);
  // PostgreSQL can't copy a database that has connections.
  await database.close();
  return new URL(databaseUrl).pathname.slice(1);
}

let sqliteTemplate: Promise<Uint8Array<ArrayBuffer>> | undefined;

/** Returns the bytes of an SQLite file with all tables, made once per process. */
function migratedSqlite() {
  sqliteTemplate ??= makeSqliteTemplate();
  return sqliteTemplate;
}

async function makeSqliteTemplate() {
  await sweepTemporary(PREFIX, DATABASE_FOLDER);
  const folder = await mkdtemp(join(DATABASE_FOLDER, `${PREFIX}${process.pid}-`));
  const path = join(folder, 'wharf.db');
  const database = openSqlite(path);
  await migrate(database);
  await database.close();
  const bytes = await Bun.file(path).bytes();
  await rm(folder, { recursive: true });
  return bytes;
}
