import { expect, test } from 'bun:test';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openSqlite } from './open.ts';

test('a database that is closed holds no file open, however many statements it kept ready', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-sqlite-'));
  const heldLocks = async () => {
    const names = await readdir('/proc/self/fd');
    const paths = names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => ''));
    return (await Promise.all(paths)).filter((path) => path.startsWith(folder));
  };
  const { db } = openSqlite(join(folder, 'wharf.db'));
  await sql`create table things (id integer)`.execute(db);
  for (let i = 0; i < 40; i += 1) {
    await sql`select id, ${sql.lit(i)} as number from things`.execute(db);
  }
  expect(await heldLocks()).not.toEqual([]);
  await db.destroy();
  expect(await heldLocks()).toEqual([]);
  await rm(folder, { recursive: true });
});
