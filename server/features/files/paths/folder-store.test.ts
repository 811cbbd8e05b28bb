import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { insertBuckets } from '../../../../tests/support/fixtures/bucket-rows.ts';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { SORT_ORDERS } from '../../../contract/files/file-order.ts';
import { newId } from '../../../platform/ids.ts';
import {
  type FolderEntry,
  folderEntries,
  MAX_SORTED_ENTRIES,
  type SortedEntry,
  sortedFolderEntries,
} from './folder-store.ts';
import type { NewFileRow } from './insertion-store.ts';

const utf8 = new TextEncoder();
const inByteOrder = (a: string, b: string) => Buffer.compare(utf8.encode(a), utf8.encode(b));

/** Returns what a folder holds, as the rows say. */
function entriesOf(paths: string[], prefix: string): FolderEntry[] {
  const entries = new Map<string, boolean>();
  for (const path of paths.filter((one) => one.startsWith(prefix) && one !== prefix)) {
    const slash = path.indexOf('/', prefix.length);
    entries.set(slash < 0 ? path : path.slice(0, slash + 1), slash >= 0);
  }
  return [...entries]
    .sort(([a], [b]) => inByteOrder(a, b))
    .map(([path, isFolder]) => ({ path, isFolder }));
}

const PREFIXES = ['', 'a/', 'a/b/', 'photos/', 'photos/2026/', 'photos/empty/', '😀/', 'none/'];
const PATHS = [
  ...['a', 'a.txt', 'a/b', 'a/b/c', 'a/b/d/e', 'a/z', 'a0', 'b/x', 'ä/ö', '😀/1', '😀/2', 'ﬀ', '~'],
  ...[
    'photos/2025/a.jpg',
    'photos/2026/a.jpg',
    'photos/2026/b.jpg',
    'photos/c.jpg',
    'photos-old/a',
  ],
  // Folders that were created: one with files, and two without.
  ...['photos/2026/', 'photos/empty/', 'zoo/'],
  ...["it's 100%_\\/x", 'photos/é', 'photos/e\u0301'],
];

await describeEachEngine('the entries of a folder', (open) => {
  async function withPaths(paths: string[]) {
    const { db } = await open();
    await insertBuckets(db, 1, ['b', 'c']);
    const row = (bucket: string, path: string, superseded: number | null) =>
      ({
        ...{
          id: newId(1),
          bucket_id: bucket,
          name: 'n',
          path,
          content_type: 'text/plain',
          size: (path.length * 5) % 7,
        },
        ...{
          file_type: path.endsWith('/') ? 'folder' : 'file',
          access: 'public',
          blob_id: null,
          sha256: null,
          stored_bytes: 1,
        },
        ...{
          superseded_at: superseded,
          expires_at: null,
          metadata: null,
          headers: null,
          tags: null,
          version_id: null,
          created_at: 1,
        },
      }) satisfies NewFileRow;
    const rows = paths.map((path) => row('b', path, null));
    // Neither belongs to the list: another bucket's file, and an earlier version.
    rows.push(row('c', 'foreign', null), row('b', 'earlier', 5), row('b', 'a/earlier', 5));
    await db.insertInto('files').values(rows).execute();
    return db;
  }

  for (const order of SORT_ORDERS) {
    test(`are its files and folders in the byte order of their paths, page by page, ${order}ending`, async () => {
      const db = await withPaths(PATHS);
      for (const prefix of PREFIXES) {
        const expected = entriesOf(PATHS, prefix);
        if (order === 'desc') expected.reverse();
        for (const limit of [1, 2, 3, 50]) {
          const found: FolderEntry[] = [];
          for (;;) {
            const after = found.at(-1) ?? null;
            const page = await folderEntries(db, 'b', { prefix, after, limit, order });
            found.push(...page);
            if (page.length < limit) break;
          }
          expect(found).toEqual(expected);
        }
      }
    });

    test(`are its folders by name, and then its files by size or date ${order}ending, page by page`, async () => {
      const db = await withPaths(PATHS);
      const rows = await db.selectFrom('files').select(['id', 'path', 'size']).execute();
      for (const sort of ['size', 'date'] as const) {
        const keyOf = ({ path }: FolderEntry) => {
          const file = rows.find((row) => row.path === path);
          return `${sort === 'size' ? file?.size : ''}${file?.id}`;
        };
        for (const prefix of PREFIXES) {
          const all = entriesOf(PATHS, prefix);
          const files = all
            .filter(({ isFolder }) => !isFolder)
            .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
          if (order === 'desc') files.reverse();
          for (const limit of [1, 3, 50]) {
            const found: SortedEntry[] = [];
            for (;;) {
              const after = found.at(-1) ?? null;
              const page = await sortedFolderEntries(db, 'b', {
                prefix,
                after,
                limit,
                sort,
                order,
              });
              found.push(...(page ?? []));
              if ((page ?? []).length < limit) break;
            }
            expect(found.map(({ path, isFolder }) => ({ path, isFolder }))).toEqual([
              ...all.filter(({ isFolder }) => isFolder),
              ...files,
            ]);
          }
        }
      }
    });
  }

  test('are sorted by size in folders of at most so many entries', async () => {
    const db = await withPaths([]);
    const insert = (first: number, last: number) =>
      sql`with recursive numbers(n) as (select ${sql.lit(first)} union all select n + 1 from numbers where n < ${sql.lit(last)})
        insert into files (id, bucket_id, name, path, content_type, size, file_type, access, stored_bytes, created_at)
        select 'many' || n, 'b', 'n', 'many/' || n, 'text/plain', n, 'file', 'public', 1, 1 from numbers`.execute(
        db,
      );
    const query = { prefix: 'many/', sort: 'size', order: 'desc', after: null, limit: 1 } as const;
    await insert(1, MAX_SORTED_ENTRIES);
    const [largest] = (await sortedFolderEntries(db, 'b', query)) ?? [];
    expect(largest?.path).toBe(`many/${MAX_SORTED_ENTRIES}`);
    await insert(MAX_SORTED_ENTRIES + 1, MAX_SORTED_ENTRIES + 1);
    expect(await sortedFolderEntries(db, 'b', query)).toBeNull();
  });

  test('go on behind an entry that is deleted', async () => {
    const db = await withPaths(PATHS);
    await db.deleteFrom('files').where('path', 'like', 'photos/2026/%').execute();
    const after = { path: 'photos/2026/', isFolder: true };
    const rest = await folderEntries(db, 'b', { prefix: 'photos/', after, limit: 50 });
    expect(rest.map(({ path }) => path)).toEqual([
      'photos/c.jpg',
      'photos/empty/',
      'photos/e\u0301',
      'photos/é',
    ]);
  });
});
