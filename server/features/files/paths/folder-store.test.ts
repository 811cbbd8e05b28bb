import { expect, test } from 'bun:test';
import { insertBuckets } from '../../../../tests/support/fixtures/bucket-rows.ts';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { newId } from '../../../platform/ids.ts';
import type { FileRow } from '../tables.ts';
import { type FolderEntry, folderEntries } from './folder-store.ts';

const utf8 = new TextEncoder();
const inByteOrder = (a: string, b: string) => Buffer.compare(utf8.encode(a), utf8.encode(b));

/** Returns what a folder holds, as the rows say. */
function entriesOf(paths: string[], prefix: string): FolderEntry[] {
  const entries = new Map<string, boolean>();
  for (const path of paths.filter((one) => one.startsWith(prefix))) {
    const slash = path.indexOf('/', prefix.length);
    entries.set(slash < 0 ? path : path.slice(0, slash + 1), slash >= 0);
  }
  return [...entries]
    .sort(([a], [b]) => inByteOrder(a, b))
    .map(([path, isFolder]) => ({ path, isFolder }));
}

const PATHS = [
  ...['a', 'a.txt', 'a/b', 'a/b/c', 'a/b/d/e', 'a/z', 'a0', 'b/x', 'ä/ö', '😀/1', '😀/2', 'ﬀ', '~'],
  ...[
    'photos/2025/a.jpg',
    'photos/2026/a.jpg',
    'photos/2026/b.jpg',
    'photos/c.jpg',
    'photos-old/a',
  ],
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
          size: 1,
        },
        ...{ file_type: 'file', access: 'public', blob_id: null, sha256: null, stored_bytes: 1 },
        ...{ superseded_at: superseded, created_at: 1 },
      }) satisfies FileRow;
    const rows = paths.map((path) => row('b', path, null));
    // Neither belongs to the list: another bucket's file, and an earlier version.
    rows.push(row('c', 'foreign', null), row('b', 'earlier', 5), row('b', 'a/earlier', 5));
    await db.insertInto('files').values(rows).execute();
    return db;
  }

  test('are its files and folders in the byte order of their paths, page by page', async () => {
    const db = await withPaths(PATHS);
    for (const prefix of ['', 'a/', 'a/b/', 'photos/', 'photos/2026/', '😀/', 'none/']) {
      for (const limit of [1, 2, 3, 50]) {
        const found: FolderEntry[] = [];
        for (;;) {
          const after = found.at(-1) ?? null;
          const page = await folderEntries(db, 'b', { prefix, after, limit });
          found.push(...page);
          if (page.length < limit) break;
        }
        expect(found).toEqual(entriesOf(PATHS, prefix));
      }
    }
  });

  test('go on behind an entry that is deleted', async () => {
    const db = await withPaths(PATHS);
    await db.deleteFrom('files').where('path', 'like', 'photos/2026/%').execute();
    const after = { path: 'photos/2026/', isFolder: true };
    const rest = await folderEntries(db, 'b', { prefix: 'photos/', after, limit: 50 });
    expect(rest.map(({ path }) => path)).toEqual(['photos/c.jpg', 'photos/e\u0301', 'photos/é']);
  });
});
