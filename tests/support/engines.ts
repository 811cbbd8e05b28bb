import { afterAll, describe } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '../../server/platform/db/migrate.ts';
import type { Database } from '../../server/platform/db/port.ts';
import { openPostgres } from '../../server/platform/db/postgres.ts';
import { openSqlite } from '../../server/platform/db/sqlite.ts';
import { startPostgres } from './postgres.ts';

export type OpenDatabase = () => Promise<Database>;

/** Runs the same tests on a fresh, migrated SQLite and PostgreSQL; the latter is skipped, by name, where there is none. */
export async function describeEachEngine(name: string, body: (open: OpenDatabase) => void) {
  const postgres = await startPostgres();
  const closers: (() => Promise<void>)[] = [];

  const sqlite: OpenDatabase = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wharf-db-'));
    const database = openSqlite(join(folder, 'wharf.db'));
    closers.push(async () => {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    });
    await migrate(database);
    return database;
  };

  const onPostgres: OpenDatabase = async () => {
    if (!postgres) throw new Error('PostgreSQL is not on this machine');
    const database = openPostgres(await freshDatabase(postgres.url));
    closers.push(() => database.close());
    await migrate(database);
    return database;
  };

  const closeAll = () =>
    afterAll(async () => {
      for (const close of closers.splice(0)) await close();
    });

  describe(`${name} on SQLite`, () => {
    closeAll();
    body(sqlite);
  });
  describe.skipIf(!postgres)(`${name} on PostgreSQL`, () => {
    closeAll();
    body(onPostgres);
  });
}

/** A database of its own: the migrator finds its tables in any schema of a shared one. */
export async function freshDatabase(url: string): Promise<string> {
  const name = `t${crypto.randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const own = new URL(url);
  own.pathname = name;
  return own.href;
}
