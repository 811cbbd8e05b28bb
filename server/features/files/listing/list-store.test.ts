import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { insertBuckets } from '../../../../tests/support/fixtures/bucket-rows.ts';
import {
  BY_BYTES,
  describeEachEngine,
  describeOnPostgres,
  type OpenDatabase,
} from '../../../../tests/support/server/engines.ts';
import { FILE_SORTS, SORT_ORDERS } from '../../../contract/files/file-order.ts';
import { DAY } from '../../../contract/limits.ts';
import { ACCESSES, FILE_TYPES } from '../../../contract/schemas/files.ts';
import type { Database } from '../../../platform/db/port.ts';
import { SCANNED_ROWS } from '../../../platform/db/search.ts';
import { newId } from '../../../platform/ids.ts';
import { fileInsertions } from '../store.ts';
import type { MediaFileRow } from '../tables.ts';
import type { FileFilters } from './filters-store.ts';
import { listFiles } from './list-store.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');

const testLists = (open: OpenDatabase) => {
  const fileRow = (id: string, path: string) =>
    ({
      ...{ id, path, bucket_id: 'a', name: 'n', content_type: 'image/jpeg', size: 1 },
      ...{ file_type: 'image', access: 'public', blob_id: null, sha256: null, stored_bytes: 1 },
      ...{ superseded_at: null, created_at: NOW, status: 'success' },
    }) as MediaFileRow;

  /** Fills two buckets with a file of every type and access on each of some days. */
  const filled = async () => {
    const database = await open();
    const { db } = database;
    await insertBuckets(db, NOW, ['a', 'b']);
    const files: MediaFileRow[] = [];
    for (const bucket of ['a', 'b']) {
      for (let day = 0; day < 4; day += 1) {
        for (const file_type of FILE_TYPES) {
          for (const access of ACCESSES) {
            const at = NOW + day * DAY;
            const id = newId(at);
            const size = (files.length * 7) % 13;
            const path = `day-${day}/${file_type}-${access}`;
            const place = { bucket_id: bucket, created_at: at, file_type, access, size };
            files.push({ ...fileRow(id, path), ...place });
          }
        }
      }
    }
    await database.batch(files.flatMap((file) => fileInsertions(db, file)));
    return { database, files };
  };

  const dayOf = (file: MediaFileRow) => new Date(file.created_at).toISOString().slice(0, 10);
  const matches = (file: MediaFileRow, filters: FileFilters) =>
    matchesRange(file, filters) &&
    file.path.startsWith(filters.prefix ?? '') &&
    file.size >= (filters.min_size ?? 0) &&
    file.size <= (filters.max_size ?? 99) &&
    (!filters.q || /day-1\/.*vid/.test(file.path));
  const matchesRange = (file: MediaFileRow, { access, file_type, from, to }: FileFilters) =>
    (!access || file.access === access) &&
    (!file_type || file.file_type === file_type) &&
    (!from || dayOf(file) >= from) &&
    (!to || dayOf(file) <= to);

  const pagesOf = async ({ db }: Database, filters: FileFilters) => {
    const ids: string[] = [];
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const page = await listFiles(db, 'a', { ...filters, limit: 7, cursor });
      ids.push(...page.rows.map(({ id }) => id));
      cursor = page.next;
    }
    return ids;
  };

  const ranges: FileFilters[] = [
    {},
    { from: '2026-03-11' },
    { to: '2026-03-11' },
    { from: '2026-03-11', to: '2026-03-12' },
    { from: '2027-01-01' },
  ];

  test('holds what matches each filter, newest first, page by page', async () => {
    const { database, files } = await filled();
    for (const range of ranges) {
      for (const file_type of [...FILE_TYPES, ''] as const) {
        for (const access of [...ACCESSES, ''] as const) {
          const filters = { ...range, file_type, access };
          const expected = files
            .filter((file) => file.bucket_id === 'a' && matches(file, filters))
            .map(({ id }) => id)
            .sort()
            .reverse();
          expect(await pagesOf(database, filters)).toEqual(expected);
        }
      }
    }
  });

  test('is sorted by name, size or date, with every filter', async () => {
    const { database, files } = await filled();
    const keyOf = {
      name: ({ path }: MediaFileRow) => path,
      size: ({ size, id }: MediaFileRow) => `${String(size).padStart(9, '0')} ${id}`,
      date: ({ id }: MediaFileRow) => id,
    };
    for (const sort of FILE_SORTS) {
      for (const order of SORT_ORDERS) {
        for (const range of [
          {},
          { from: '2026-03-11', to: '2026-03-12', file_type: 'audio' },
          { access: 'private', min_size: 3, max_size: 9 },
          { prefix: 'day-2/' },
          { q: 'DAY-1/ & vid' },
        ] as FileFilters[]) {
          const expected = files
            .filter((file) => file.bucket_id === 'a' && matches(file, range))
            .toSorted((a, b) => (keyOf[sort](a) < keyOf[sort](b) ? -1 : 1))
            .map(({ id }) => id);
          if (order === 'desc') expected.reverse();
          expect(expected.length).toBeGreaterThan(0);
          const found = await pagesOf(database, { ...range, sort, order });
          expect([sort, order, range, found]).toEqual([sort, order, range, expected]);
        }
      }
    }
  });

  test('refuses a cursor of another order', async () => {
    const { database } = await filled();
    for (const [sort, cursor] of [
      ['date', '/a'],
      ['name', 'a'.repeat(26)],
      ['size', '/a'],
    ] as const) {
      const list = listFiles(database.db, 'a', { sort, cursor });
      await expect(list).rejects.toThrow('cursor must be 0 or a nextId');
    }
  });

  test('finds parts of paths and names in any case, whatever their characters', async () => {
    const database = await open();
    const { db } = database;
    await insertBuckets(db, NOW, ['a', 'b']);
    const paths = [
      ...[
        'Fotos/Größe.JPG',
        'fotos/e\u0301te\u0301.png',
        '100%_[x]*?^$.txt',
        'a\\b(c)|d',
        '針と糸.pdf',
      ],
      'ПРИВЕТ.md',
    ];
    const rows = paths.map((path, at) => ({ ...fileRow(newId(NOW + at), path), name: `n${at}` }));
    await database.batch(rows.flatMap((file) => fileInsertions(db, file)));
    const found = async (q: string) =>
      (await listFiles(db, 'a', { q, sort: 'date', order: 'asc' })).rows.map(({ path }) => path);
    for (const [q, ...at] of [
      ['GRÖSSE'],
      ['GRÖßE', 0],
      ['fotos/', 0, 1],
      ['É', 1],
      ['%_[X]*?^$', 2],
      ['\\B(C)|', 3],
      ['と', 4],
      ['привет', 5],
      ['n4', 4],
      ['fotos&jpg', 0],
      ['nowhere'],
      [' & ', 0, 1, 2, 3, 4, 5],
    ] as [string, ...number[]][]) {
      expect([q, await found(q)]).toEqual([q, at.map((one) => paths[one] ?? '')]);
    }
  });

  test('finds files by texts of their metadata, and nothing by what only looks like one', async () => {
    const database = await open();
    const { db } = database;
    await insertBuckets(db, NOW, ['a', 'b']);
    const metadata = [
      { camera: 'Leica', year: '2026' },
      { camera: 'leica' },
      { note: '"camera":"Leica"', 'a,"camera': 'Leica' },
      { 'the camera': 'Leica' },
      { name: 'ä=b&c' },
      {},
    ];
    const rows = metadata.map((texts, at) => ({
      ...fileRow(newId(NOW + at), `${at}`),
      metadata: Object.keys(texts).length > 0 ? JSON.stringify(texts) : null,
    }));
    await database.batch(rows.flatMap((file) => fileInsertions(db, file)));
    for (const [filter, ...at] of [
      ['camera=Leica', '0'],
      ['camera', '0', '1'],
      ['camera=Leica&year=2026', '0'],
      ['camera=Leica&year=2025'],
      ['camera=Lei'],
      ['camera='],
      ['the+camera=Leica', '3'],
      ['name=%C3%A4%3Db%26c', '4'],
      ['name=%', ''],
      ['=Leica'],
      ['&', '0', '1', '2', '3', '4', '5'],
    ] as [string, ...string[]][]) {
      const query = { metadata: filter, sort: 'name' } as const;
      const { rows: found } = await listFiles(db, 'a', query);
      expect([filter, ...found.map(({ path }) => path)]).toEqual([filter, ...at.filter(Boolean)]);
    }
  });

  test('examines a bounded number of files for a page, and goes on behind them', async () => {
    const { db, engine } = await open();
    await insertBuckets(db, NOW, ['a']);
    const pad = engine === 'sqlite' ? sql`printf('%026d', n)` : sql`lpad(n::text, 26, '0')`;
    await sql`
      with recursive numbers(n) as (
        select 1 union all select n + 1 from numbers where n < ${SCANNED_ROWS + 1}
      )
      insert into files (id, bucket_id, name, path, content_type, size, file_type, access, stored_bytes, created_at)
      select ${pad}, 'a', 'n', case when n = 1 then 'needle' else 'z' || ${pad} end, 'text/plain', n, 'file', 'public', 1, 1
      from numbers`.execute(db);
    const rest = { data: [`${'0'.repeat(25)}1`], next: null };
    for (const sort of ['date', 'size'] as const) {
      const query = { q: 'needle', sort };
      const first = await listFiles(db, 'a', query);
      expect(first.rows).toEqual([]);
      const { rows, next } = await listFiles(db, 'a', { ...query, cursor: first.next ?? '' });
      expect({ data: rows.map(({ id }) => id), next }).toEqual(rest);
    }
    expect((await listFiles(db, 'a', { q: 'needle', sort: 'name' })).rows).toHaveLength(1);
  });
};

await describeEachEngine('the list of files', testLists);
await describeOnPostgres(
  'the list of files on a PostgreSQL that orders texts by their bytes',
  testLists,
  BY_BYTES,
);
