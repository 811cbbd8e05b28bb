import { afterAll, describe, expect, test } from 'bun:test';
import { chown, stat } from 'node:fs/promises';
import { sql } from 'kysely';
import { freshDatabase } from '../../../tests/support/server/engines.ts';
import { startPostgres } from '../../../tests/support/services/postgres.ts';
import { smallDisk } from '../../../tests/support/services/small-disk.ts';
import { openPostgres } from './postgres.ts';

const postgres = await startPostgres();
const disk = postgres && (await smallDisk(4));

describe.skipIf(!disk)('PostgreSQL on a full disk', () => {
  afterAll(() => disk?.remove());

  test('is answered as any full disk is, in transactions too, and goes on', async () => {
    const database = openPostgres(await freshDatabase(postgres?.url ?? ''));
    const { db } = database;
    const folder = disk?.folder ?? '';
    const { rows } = await sql<{ path: string }>`show data_directory`.execute(db);
    const [own] = rows.map((row) => Object.values(row)[0]);
    const { uid, gid } = await stat(own ?? '');
    await chown(folder, uid, gid);
    const space = `full_${process.pid}`;
    await sql`create tablespace ${sql.ref(space)} location ${sql.lit(folder)}`.execute(db);
    await sql`create table heavy (bytes text) tablespace ${sql.ref(space)}`.execute(db);
    const fill = sql`insert into heavy select md5(i::text) from generate_series(1, 200000) as i`;
    const full = { status: 507, code: 'storage-full' };
    expect(await fill.execute(db).catch((error) => error)).toMatchObject(full);
    const inside = database.transaction((tx) => fill.execute(tx));
    expect(await inside.catch((error) => error)).toMatchObject(full);
    const missing = await sql`select * from nowhere`.execute(db).catch((error) => error);
    expect(missing).toMatchObject({ code: '42P01' });
    await database.check();
    await sql`drop table heavy`.execute(db);
    await sql`drop tablespace ${sql.ref(space)}`.execute(db);
    await database.close();
  });
});
