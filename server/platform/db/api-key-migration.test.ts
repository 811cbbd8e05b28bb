import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { freshDatabase } from '../../../tests/support/server/engines.ts';
import { startPostgres } from '../../../tests/support/services/postgres.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import type { Database } from './port.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite/open.ts';

const base = await mkdtemp(join(tmpdir(), 'wharf-keys-'));
const postgres = await startPostgres();
afterAll(() => rm(base, { recursive: true }));

const names = Object.keys(migrations);
const earlier = Object.fromEntries(
  Object.entries(migrations).slice(0, names.indexOf('0077_api_keys')),
);

const openers: Record<string, () => Promise<Database>> = {
  SQLite: async () => openSqlite(join(base, 'wharf.db')),
  ...(postgres && {
    PostgreSQL: async () => openPostgres(await freshDatabase(postgres.url), { timeouts: null }),
  }),
};

test.each(Object.entries(openers))('on %s, each bucket keeps its API key', async (_, open) => {
  const database = await open();
  const { db } = database;
  await migrate(database, earlier);
  await sql`insert into users (id, email, email_key, password_hash, created_at)
    values ('u', 'a@b.c', 'a@b.c', 'x', 1)`.execute(db);
  for (const id of ['1', '2']) {
    await sql`insert into buckets (id, user_id, name, name_key, status, api_key_sealed, api_key_mac, created_at)
      values (${id}, 'u', 'B', 'b', 'running', ${`s${id}`}, ${`m${id}`}, 5)`.execute(db);
  }
  await migrate(database);
  const keys = () => db.selectFrom('api_keys').selectAll().orderBy('id').execute();
  const key = { name: 'Primary', scope: 'read-write', expires_at: null, last_used_at: null };
  expect(await keys()).toEqual([
    { ...key, id: '1', bucket_id: '1', key_hash: 'm1', key_sealed: 's1', created_at: 5 },
    { ...key, id: '2', bucket_id: '2', key_hash: 'm2', key_sealed: 's2', created_at: 5 },
  ] as never);
  await db.deleteFrom('buckets').where('id', '=', '1').execute();
  expect((await keys()).map(({ id }) => id)).toEqual(['2']);
  await database.close();
});
