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

const base = await mkdtemp(join(tmpdir(), 'wharf-paths-'));
const postgres = await startPostgres();
afterAll(() => rm(base, { recursive: true }));

const names = Object.keys(migrations);
const earlier = Object.fromEntries(
  Object.entries(migrations).slice(0, names.indexOf('0070_paths')),
);

const openers: Record<string, () => Promise<Database>> = {
  SQLite: async () => openSqlite(join(await mkdtemp(join(base, 'data-')), 'wharf.db')),
  ...(postgres && {
    PostgreSQL: async () => openPostgres(await freshDatabase(postgres.url), { timeouts: null }),
  }),
};

type Named = { bucket?: string; name: string; type?: 'image' | 'video'; source?: string };

/** Fills a database of the version before paths with files, whose ids are a to z in their order. */
async function withFiles(database: Database, files: Named[]): Promise<void> {
  await migrate(database, earlier);
  const { db } = database;
  await sql`insert into users (id, email, email_key, password_hash, created_at)
    values ('u', 'a@b.c', 'a@b.c', 'x', 1)`.execute(db);
  for (const id of ['1', '2']) {
    await sql`insert into buckets (id, user_id, name, name_key, status, api_key_sealed, api_key_mac, created_at)
      values (${id}, 'u', 'B', 'b', 'running', 's', ${id}, 1)`.execute(db);
  }
  for (const [n, { bucket = '1', name, type = 'image', source = null }] of files.entries()) {
    const id = String.fromCharCode('a'.charCodeAt(0) + n);
    await sql`insert into files (id, bucket_id, name, size, file_type, access, status, source_prefix, created_at)
      values (${id}, ${bucket}, ${name}, 7, ${type}, 'public', 'success', ${source}, 1)`.execute(
      db,
    );
  }
}

const filesOf = async ({ db }: Database) =>
  (
    await sql<{ path: string; content_type: string; superseded_at: number | null }>`
      select path, content_type, superseded_at from files order by id`.execute(db)
  ).rows;
const pathsOf = async (database: Database) => (await filesOf(database)).map(({ path }) => path);

for (const [engine, open] of Object.entries(openers)) {
  const migrated = async (files: Named[]) => {
    const database = await open();
    await withFiles(database, files);
    await migrate(database);
    return database;
  };

  test(`on ${engine}, each older file gets its name as its path, the first one of a bucket`, async () => {
    const images = ['a.jpg', 'a.jpg', 'a.jpg', 'x', 'x', '.', '..', '...', '.z', '.z', 'a.tar.gz'];
    const other = [
      { bucket: '2', name: 'a.jpg' },
      { bucket: '2', name: 'a.tar.gz' },
    ];
    const database = await migrated([...images.map((name) => ({ name })), ...other]);
    expect(await pathsOf(database)).toEqual([
      ...['a.jpg', 'a (2).jpg', 'a (3).jpg', 'x', 'x (2)', '_', '_ (2)', '...', '.z', '.z (2)'],
      ...['a.tar.gz', 'a.jpg', 'a.tar.gz'],
    ]);
    await database.close();
  });

  test(`on ${engine}, an older file whose numbered path is a name gets its id`, async () => {
    const all = ['a.jpg', 'a.jpg', 'a.jpg', 'a (3).jpg', 'a (2).jpg', 'a (2).jpg', 'a (b).jpg'];
    const database = await migrated(all.map((name) => ({ name })));
    const paths = await pathsOf(database);
    expect(paths[1]).toMatch(/^a \(b-[0-9a-f]{8}\)\.jpg$/);
    expect(paths.toSpliced(1, 1)).toEqual([
      ...['a.jpg', 'a (c).jpg', 'a (3).jpg', 'a (2).jpg', 'a (2) (2).jpg', 'a (b).jpg'],
    ]);
    await database.close();
  });

  test(`on ${engine}, the path of an older file has at most 1,024 bytes`, async () => {
    const long = '😀'.repeat(255);
    const database = await migrated([{ name: long }, { name: long }, { name: 'x'.repeat(255) }]);
    const short = '😀'.repeat(240);
    expect(await pathsOf(database)).toEqual([short, `${short} (2)`, 'x'.repeat(255)]);
    await database.close();
  });

  test(`on ${engine}, an older file has the content type of its name where that agrees`, async () => {
    const database = await migrated([
      { name: 'a.JPG' },
      { name: 'a.mov', type: 'video' },
      { name: 'a.png', type: 'video' },
      { name: 'a' },
    ]);
    const types = ['image/jpeg', 'video/quicktime', ...Array(2).fill('application/octet-stream')];
    expect((await filesOf(database)).map((file) => file.content_type)).toEqual(types);
    await database.close();
  });

  test(`on ${engine}, the bytes that an older file keeps get a blob`, async () => {
    const database = await migrated([{ name: 'a.jpg', source: 'o/1/a/' }, { name: 'b.jpg' }]);
    const { db } = database;
    const of = await sql`select id, blob_id from files order by id`.execute(db);
    expect(of.rows).toEqual([
      { id: 'a', blob_id: 'a' },
      { id: 'b', blob_id: null },
    ]);
    const blob = { id: 'a', bucket_id: '1', prefix: 'o/1/a/', object_key: null, size: 7, refs: 1 };
    const hashes = { md5: null, etag: null, checksum: null, parts: null };
    const blobs = await sql`select * from blobs`.execute(db);
    const facts = { width: null, height: null, duration: null, thumb_hash: null };
    expect(blobs.rows).toEqual([{ ...blob, ...hashes, ...facts, created_at: 1 }]);
    await database.close();
  });

  test(`on ${engine}, paths that were given in an upgrade that fails are given again`, async () => {
    const database = await open();
    await withFiles(database, [{ name: 'a.jpg' }, { name: 'a.jpg' }]);
    const failing = {
      ...migrations,
      '9999_broken': { up: async () => Promise.reject(new Error('it does not work')) },
    };
    await expect(migrate(database, failing)).rejects.toThrow('it does not work');
    await expect(pathsOf(database)).rejects.toThrow('path');
    await migrate(database);
    expect(await pathsOf(database)).toEqual(['a.jpg', 'a (2).jpg']);
    await database.close();
  });

  test(`on ${engine}, no two current files of a bucket have one path`, async () => {
    const database = await migrated([{ name: 'a.jpg' }, { name: 'b.jpg' }]);
    const { db } = database;
    const rename = () => sql`update files set path = 'a.jpg' where id = 'b'`.execute(db);
    await expect(rename()).rejects.toThrow(/unique/i);
    await sql`update files set superseded_at = 1 where id = 'a'`.execute(db);
    await rename();
    await database.close();
  });
}
