import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { insertBuckets } from '../../../../tests/support/fixtures/bucket-rows.ts';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import type { Database } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import { fileInsertion, type NewFileRow } from './insertion-store.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');

const fileRow = (path: string, bucket_id: string): NewFileRow => ({
  ...{ id: newId(NOW), bucket_id, name: 'n', path, content_type: 'image/jpeg', size: 1 },
  ...{ file_type: 'image', access: 'public', blob_id: null, sha256: null },
  ...{
    stored_bytes: 1,
    superseded_at: null,
    expires_at: null,
    metadata: null,
    headers: null,
    tags: null,
    version_id: null,
  },
  created_at: NOW,
});

async function upload(database: Database, path: string, bucketId = 'a'): Promise<string> {
  const file = fileRow(path, bucketId);
  await database.batch(fileInsertion(database.db, file));
  return pathOf(database, file.id);
}

const pathOf = async ({ db }: Database, id: string): Promise<string> =>
  (await db.selectFrom('files').select('path').where('id', '=', id).executeTakeFirstOrThrow()).path;

await describeEachEngine('the path of a new file', (open) => {
  const opened = async () => {
    const database = await open();
    await insertBuckets(database.db, NOW, ['a', 'b']);
    return database;
  };

  /** Inserts the files of `count` uploads of image.jpg, which have the numbers up to that. */
  const withImages = async (count: number) => {
    const database = await opened();
    await upload(database, 'image.jpg');
    const series =
      database.engine === 'sqlite'
        ? sql`with recursive series(n) as (select 2 union all select n + 1 from series where n < ${count})`
        : sql`with series(n) as (select generate_series(2, ${sql.lit(count)}))`;
    await sql`${series} insert into files (id, bucket_id, name, path, content_type, size, file_type,
        access, created_at)
      select 'n' || n, 'a', 'image.jpg', 'image (' || n || ').jpg', 'image/jpeg', 1, 'image',
        'public', 1 from series`.execute(database.db);
    return database;
  };

  test('is its name, or has the first free number before the extension', async () => {
    const database = await opened();
    const names = [
      'a.jpg',
      'a.jpg',
      'a.jpg',
      'a',
      'a',
      '.x',
      '.x',
      'a (2)',
      'a.tar.gz',
      'a.tar.gz',
    ];
    const paths: string[] = [];
    for (const name of names) paths.push(await upload(database, name));
    expect(paths).toEqual([
      ...['a.jpg', 'a (2).jpg', 'a (3).jpg', 'a', 'a (2)', '.x', '.x (2)', 'a (2) (2)'],
      ...['a.tar.gz', 'a.tar (2).gz'],
    ]);
    expect(await upload(database, 'a.jpg', 'b')).toBe('a.jpg');
    expect(await upload(database, 'A.jpg')).toBe('A.jpg');
  });

  test('can be that of a file that is deleted or superseded', async () => {
    const database = await opened();
    const { db } = database;
    for (let n = 0; n < 3; n += 1) await upload(database, 'a.jpg');
    await db.deleteFrom('files').where('path', '=', 'a (2).jpg').execute();
    await db.updateTable('files').set({ superseded_at: 1 }).where('path', '=', 'a.jpg').execute();
    expect(await upload(database, 'a.jpg')).toBe('a.jpg');
    expect(await upload(database, 'a.jpg')).toBe('a (2).jpg');
    expect(await upload(database, 'a.jpg')).toBe('a (4).jpg');
  });

  test.each([2, 3, 4, 5, 7, 8, 9, 1000, 1023, 1024, 1025])(
    'has the next number behind %d files of its name',
    async (count) => {
      const database = await withImages(count);
      expect(await upload(database, 'image.jpg')).toBe(`image (${count + 1}).jpg`);
    },
  );

  test('is free also where numbers in between are', async () => {
    const database = await withImages(40);
    const { db } = database;
    for (const gaps of [[2, 3], [5, 6, 7], [16], [20, 30, 33]]) {
      const paths = gaps.map((n) => `image (${n}).jpg`);
      await db.deleteFrom('files').where('path', 'in', paths).execute();
    }
    const { files } = await db
      .selectFrom('files')
      .select((row) => row.fn.countAll<number>().as('files'))
      .executeTakeFirstOrThrow();
    for (let n = 0; n < 30; n += 1) await upload(database, 'image.jpg');
    const { rows } = await sql`select distinct path from files`.execute(db);
    expect(rows).toHaveLength(files + 30);
  });

  test('has the id of the file where somebody has taken the numbers in the way', async () => {
    const database = await opened();
    await upload(database, 'a.jpg');
    for (let n = 2; n <= 2 ** 20; n *= 2) await upload(database, `a (${n}).jpg`);
    expect(await upload(database, 'a.jpg')).toMatch(/^a \([0-9a-z]{26}\)\.jpg$/);
  });

  test('is its own of each of many uploads at the same time', async () => {
    const database = await opened();
    const files = Array.from({ length: 60 }, () => fileRow('image.jpg', 'a'));
    await Promise.all(files.map((file) => database.batch(fileInsertion(database.db, file))));
    const { rows } = await sql<{ path: string }>`select path from files`.execute(database.db);
    const expected = files.map((_, n) => (n === 0 ? 'image.jpg' : `image (${n + 1}).jpg`));
    expect(rows.map(({ path }) => path).sort()).toEqual(expected.sort());
  });

  test('is its own also where uploads at the same time wish what others get', async () => {
    const database = await opened();
    const wishes = ['a.jpg', 'a (2).jpg', 'a (2) (2).jpg', 'a', 'a (2)', 'b/a', 'b/a (2)'];
    const files = Array.from({ length: 10 }, () => wishes.map((path) => fileRow(path, 'a'))).flat();
    await Promise.all(files.map((file) => database.batch(fileInsertion(database.db, file))));
    const { rows } = await sql<{ path: string }>`select distinct path from files`.execute(
      database.db,
    );
    expect(rows).toHaveLength(files.length);
    for (const path of wishes) expect(rows).toContainEqual({ path });
  });
});
