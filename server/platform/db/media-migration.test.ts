import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import type { Database } from './port.ts';
import { openSqlite } from './sqlite/open.ts';

const base = await mkdtemp(join(tmpdir(), 'wharf-media-'));
afterAll(() => rm(base, { recursive: true }));

const at = Object.keys(migrations).indexOf('0072_media_table');
const until = (count: number) => Object.fromEntries(Object.entries(migrations).slice(0, count));

/** Opens a database of the version before the table `media`, with a file and two images generated of it. */
async function openEarlier(): Promise<Database> {
  const database = openSqlite(join(await mkdtemp(join(base, 'data-')), 'wharf.db'));
  await migrate(database, until(at));
  const { db } = database;
  await sql`insert into users (id, email, email_key, password_hash, created_at)
    values ('u', 'a@b.c', 'a@b.c', 'x', 1)`.execute(db);
  await sql`insert into buckets (id, user_id, name, name_key, status, api_key_sealed, api_key_mac, created_at)
    values ('b', 'u', 'B', 'b', 'running', 's', 'm', 1)`.execute(db);
  await sql`insert into files (id, bucket_id, name, path, size, file_type, access, status, prefix, warning, created_at)
    values ('f', 'b', 'n', 'p/n', 7, 'image', 'public', 'success', 'b/f/x', 'w', 1)`.execute(db);
  for (const id of ['1', '2']) {
    await sql`insert into derivatives (id, bucket_id, file_id, transform, prefix, name, bytes, used_at)
      values (${id}, 'b', 'f', ${id}, 'b/f/y', 'n', 5, 1)`.execute(db);
  }
  return database;
}

const rowsOf = async ({ db }: Database, table: string) =>
  (await sql`select * from ${sql.table(table)}`.execute(db)).rows;
const schemaOf = async ({ db }: Database) =>
  (
    await sql`select type, name, sql from sqlite_master
      where tbl_name in ('files', 'derivatives') order by type, name`.execute(db)
  ).rows;

test('the table of media takes its columns from a file, which keeps its generated images', async () => {
  const database = await openEarlier();
  const before = [
    await rowsOf(database, 'derivatives'),
    await rowsOf(database, 'derivative_totals'),
  ];
  await migrate(database, until(at + 1));
  expect([
    await rowsOf(database, 'derivatives'),
    await rowsOf(database, 'derivative_totals'),
  ]).toEqual(before);
  expect(await rowsOf(database, 'files')).toEqual([
    expect.objectContaining({ id: 'f', path: 'p/n', size: 7 }),
  ]);
  expect(await rowsOf(database, 'media')).toEqual([
    expect.objectContaining({ file_id: 'f', status: 'success', prefix: 'b/f/x', warning: 'w' }),
  ]);
  await sql`delete from files`.execute(database.db);
  expect(await rowsOf(database, 'media')).toEqual([]);
  expect(await rowsOf(database, 'derivatives')).toEqual([]);
  expect(await rowsOf(database, 'derivative_totals')).toEqual([
    expect.objectContaining({ images: 0, bytes: 0 }),
  ]);
  await database.close();
});

test('tables that are made again are those whose columns SQLite drops one by one', async () => {
  const [rebuilt, dropped] = [await openEarlier(), await openEarlier()];
  await migrate(rebuilt, until(at + 1));
  const kept = new Set(Object.keys((await rowsOf(rebuilt, 'files'))[0] as object));
  const all = Object.keys((await rowsOf(dropped, 'files'))[0] as object);
  await sql`drop index files_retry_until`.execute(dropped.db);
  for (const name of all.filter((one) => !kept.has(one))) {
    await sql`alter table files drop column ${sql.ref(name)}`.execute(dropped.db);
  }
  expect(await schemaOf(rebuilt)).toEqual(await schemaOf(dropped));
  expect(await rowsOf(rebuilt, 'files')).toEqual(await rowsOf(dropped, 'files'));
  await rebuilt.close();
  await dropped.close();
});

test('a migration that is cut off after the table of media leaves everything as it was', async () => {
  const database = await openEarlier();
  const [schema, files] = [await schemaOf(database), await rowsOf(database, 'files')];
  const broken = { up: () => Promise.reject(new Error('it does not work')) };
  await expect(migrate(database, { ...until(at + 1), '9999_broken': broken })).rejects.toThrow();
  expect(await schemaOf(database)).toEqual(schema);
  expect(await rowsOf(database, 'files')).toEqual(files);
  expect(await rowsOf(database, 'derivatives')).toHaveLength(2);
  await database.close();
});
