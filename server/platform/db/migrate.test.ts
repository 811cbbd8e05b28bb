import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { freshDatabase } from '../../../tests/support/server/engines.ts';
import { startPostgres } from '../../../tests/support/services/postgres.ts';
import { migrate, NewerDatabaseError, NoBackupError, upgrade } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import type { Database } from './port.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite, openSqliteForReading } from './sqlite/open.ts';

const base = await mkdtemp(join(tmpdir(), 'wharf-upgrade-'));
const postgres = await startPostgres();
afterAll(() => rm(base, { recursive: true }));
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(base, 'data-'));
});

const only = (count: number) => Object.fromEntries(Object.entries(migrations).slice(0, count));
const paths = () => ({ path: join(folder, 'wharf.db'), folder: join(folder, 'backups') });

/** Fills a database as an older version left it: with an account, a bucket and a file. */
async function older(database: Database, count: number): Promise<void> {
  await migrate(database, only(count));
  const { db } = database;
  await sql`insert into users (id, email, email_key, password_hash, created_at)
    values ('u', 'A@b.c', 'a@b.c', 'x', 1)`.execute(db);
  await sql`insert into buckets (id, user_id, name, name_key, status, api_key_sealed, api_key_mac, created_at)
    values ('b', 'u', 'B', 'b', 'running', 's', 'm', 1)`.execute(db);
  await sql`insert into files (id, bucket_id, name, size, file_type, access, status, created_at)
    values ('f', 'b', 'n', 7, 'image', 'public', 'success', 1)`.execute(db);
}

async function expectUpgraded({ db }: Database) {
  const user = await db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
  expect(user).toMatchObject({ id: 'u', email: 'A@b.c', status: 'active' });
  const bucket = await db.selectFrom('buckets').selectAll().executeTakeFirstOrThrow();
  expect(bucket).toMatchObject({ id: 'b', suspended_at: null, usage: 0 });
  const file = await db.selectFrom('files').selectAll().executeTakeFirstOrThrow();
  expect(file).toMatchObject({ id: 'f', size: 7, sha256: null });
  const media = await db.selectFrom('media').selectAll().executeTakeFirstOrThrow();
  expect(media).toMatchObject({ file_id: 'f', status: 'success', webp_skipped: 0 });
}

describe('an upgrade', () => {
  test.each([1, 2, 5, 9])(
    'from the first %d migrations keeps all rows, and a copy from before',
    async (count) => {
      const database = openSqlite(paths().path);
      await older(database, count);
      const { copy } = await upgrade(database, paths());
      await expectUpgraded(database);
      await database.close();
      expect(copy).toContain(Object.keys(migrations)[count - 1] as string);
      expect((await stat(copy ?? '')).mode & 0o777).toBe(0o600);
      const before = openSqliteForReading(copy ?? '');
      const { rows } = await sql<{ id: string }>`select id from files`.execute(before.db);
      expect(rows).toEqual([{ id: 'f' }]);
      await expect(sql`select * from deletion_pauses`.execute(before.db)).rejects.toThrow();
      await before.close();
      const [name = ''] = await readdir(paths().folder);
      expect(join(paths().folder, name)).toBe(copy ?? '');
    },
  );

  test('of a new database, or one that is up to date, copies nothing', async () => {
    const database = openSqlite(paths().path);
    expect((await upgrade(database, paths())).copy).toBeNull();
    expect((await upgrade(database, paths())).copy).toBeNull();
    await database.close();
    expect(await readdir(folder)).not.toContain('backups');
  });

  test('keeps the last three copies and nothing that was cut off', async () => {
    await Bun.write(join(folder, 'backups/wharf-20250101T000000-0001_house.db.part'), 'x');
    for (const day of [1, 2, 3, 4]) {
      await Bun.write(join(folder, `backups/wharf-2025010${day}T000000-0001_house.db`), 'x');
    }
    await Bun.write(join(folder, 'backups/mine.txt'), 'x');
    const database = openSqlite(paths().path);
    await older(database, 3);
    const { copy } = await upgrade(database, paths());
    await database.close();
    const backups = (await readdir(paths().folder)).sort();
    expect(backups.map((name) => name.slice(0, 14))).toEqual([
      'mine.txt',
      'wharf-20250103',
      'wharf-20250104',
      (copy ?? '').split('/').at(-1)?.slice(0, 14) as string,
    ]);
  });

  test('changes nothing when the copy can not be made', async () => {
    const database = openSqlite(paths().path);
    await older(database, 3);
    await Bun.write(paths().folder, 'a file where the folder should be');
    await expect(upgrade(database, paths())).rejects.toThrow(NoBackupError);
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(
      database.db,
    );
    expect(rows).toHaveLength(3);
    await database.close();
  });

  test('that fails leaves the schema as it was', async () => {
    const database = openSqlite(paths().path);
    await older(database, 3);
    const failingMigrations = {
      ...only(4),
      '9999_broken': { up: async () => Promise.reject(new Error('it does not work')) },
    };
    await expect(upgrade(database, paths(), failingMigrations)).rejects.toThrow('it does not work');
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(
      database.db,
    );
    expect(rows).toHaveLength(3);
    await upgrade(database, paths());
    await expectUpgraded(database);
    await database.close();
  });

  test('down is refused by name, and changes nothing', async () => {
    const database = openSqlite(paths().path);
    await migrate(database);
    await expect(upgrade(database, paths(), only(3))).rejects.toThrow(NewerDatabaseError);
    await expect(upgrade(database, paths(), only(3))).rejects.toThrow('0004_tus');
    await database.close();
    expect(await readdir(folder)).not.toContain('backups');
  });

  test.skipIf(!postgres)('on PostgreSQL leaves statistics of what it has filled', async () => {
    const database = openPostgres(await freshDatabase(postgres?.url ?? ''), { timeouts: null });
    await older(database, 3);
    await upgrade(database, null);
    const { rows } = await sql`select 1 from pg_stats
      where tablename = 'account_totals' and schemaname = current_schema()`.execute(database.db);
    expect(rows.length).toBeGreaterThan(0);
    await database.close();
  });

  test.skipIf(!postgres)(
    'by several processes that start at once is made by one of them',
    async () => {
      for (const count of [0, 5]) {
        const url = await freshDatabase(postgres?.url ?? '');
        const all = Array.from({ length: 4 }, () => openPostgres(url, { timeouts: null }));
        const [first] = all;
        if (first && count > 0) await older(first, count);
        const upgrades = await Promise.all(all.map((one) => upgrade(one, null)));
        if (first && count > 0) await expectUpgraded(first);
        const names = Object.keys(migrations).slice(count);
        expect(upgrades.flatMap(({ migrated }) => migrated)).toEqual(names);
        for (const one of all) await one.close();
      }
    },
  );

  test.skipIf(!postgres)('on PostgreSQL keeps all rows and refuses to go down', async () => {
    const database = openPostgres(await freshDatabase(postgres?.url ?? ''));
    await older(database, 5);
    expect((await upgrade(database, null)).copy).toBeNull();
    await expectUpgraded(database);
    await expect(upgrade(database, null, only(3))).rejects.toThrow(NewerDatabaseError);
    await database.close();
  });

  test.skipIf(!postgres)('on PostgreSQL runs once when several begin it at a time', async () => {
    const url = await freshDatabase(postgres?.url ?? '');
    const all = [1, 2, 3].map(() => openPostgres(url));
    const ran = await Promise.all(all.map((one) => migrate(one)));
    expect(ran.flat().sort()).toEqual(Object.keys(migrations));
    for (const one of all) await one.close();
  });
});
