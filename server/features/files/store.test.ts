import { expect, test } from 'bun:test';
import { insertBuckets } from '../../../tests/support/fixtures/bucket-rows.ts';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY } from '../../contract/limits.ts';
import { ACCESSES, FILE_TYPES } from '../../contract/schemas/files.ts';
import type { Database } from '../../platform/db/port.ts';
import { newId } from '../../platform/ids.ts';
import { type FileFilters, fileInsertions, listFiles } from './store.ts';
import type { MediaFileRow } from './tables.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');

await describeEachEngine('the list of files', (open) => {
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
            const file = { id, bucket_id: bucket, file_type, access, created_at: at };
            const paths = { name: 'n', path: id, content_type: 'image/jpeg', superseded_at: null };
            const bytes = { size: 1, blob_id: null, sha256: null, stored_bytes: 1 };
            files.push({ ...file, ...paths, ...bytes, status: 'success' } as MediaFileRow);
          }
        }
      }
    }
    await database.batch(files.flatMap((file) => fileInsertions(db, file)));
    return { database, files };
  };

  const dayOf = (file: MediaFileRow) => new Date(file.created_at).toISOString().slice(0, 10);
  const matches = (file: MediaFileRow, { access, file_type, from, to }: FileFilters) =>
    (!access || file.access === access) &&
    (!file_type || file.file_type === file_type) &&
    (!from || dayOf(file) >= from) &&
    (!to || dayOf(file) <= to);

  const pagesOf = async ({ db }: Database, filters: FileFilters) => {
    const ids: string[] = [];
    for (;;) {
      const page = await listFiles(db, 'a', { ...filters, limit: 7, cursor: ids.at(-1) ?? '0' });
      ids.push(...page.slice(0, 7).map(({ id }) => id));
      if (page.length <= 7) return ids;
    }
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
});
