import { afterAll, describe, expect, test } from 'bun:test';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase } from '../../../tests/support/server/engines.ts';
import { startPostgres } from '../../../tests/support/services/postgres.ts';
import { migrate } from './migrate.ts';
import type { Database } from './port.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite, openSqliteForReading } from './sqlite/open.ts';

const folder = await mkdtemp(join(tmpdir(), 'wharf-reading-'));
afterAll(() => rm(folder, { recursive: true }));
const postgres = await startPostgres();

const mark = (database: Database, prefix: string) =>
  database.db.insertInto('pending_deletes').values({ prefix, not_before: 1 }).execute();
const marks = async (database: Database) =>
  (await database.db.selectFrom('pending_deletes').select('prefix').execute()).map(
    (row) => row.prefix,
  );

/** Expects that a reader sees what a writer writes at the same time, and can change nothing. */
async function expectReading(writer: Database, reader: Database) {
  try {
    await mark(writer, 'a/');
    expect(await marks(reader)).toEqual(['a/']);
    await expect(mark(reader, 'b/')).rejects.toThrow(/read-?only/);
    await expect(
      reader.transaction((tx) => tx.deleteFrom('pending_deletes').execute()),
    ).rejects.toThrow(/read-?only/);
    await mark(writer, 'c/');
    expect((await marks(reader)).sort()).toEqual(['a/', 'c/']);
  } finally {
    await reader.close();
    await writer.close();
  }
}

describe('a database opened for reading', () => {
  test('on SQLite reads beside a writer and changes nothing', async () => {
    const path = join(folder, 'live.db');
    const writer = openSqlite(path);
    await migrate(writer);
    await expectReading(writer, openSqliteForReading(path));
  });

  test('on SQLite reads what a killed writer left in its log', async () => {
    const path = join(folder, 'killed.db');
    const writer = openSqlite(path);
    await migrate(writer);
    await mark(writer, 'a/');
    // A copy of the files at this moment is what a killed process would leave.
    const copy = join(folder, 'copy.db');
    for (const end of ['', '-wal']) await copyFile(path + end, copy + end);
    await writer.close();
    const reader = openSqliteForReading(copy);
    expect(await marks(reader)).toEqual(['a/']);
    await reader.close();
  });

  test.skipIf(!postgres)('on PostgreSQL reads beside a writer and changes nothing', async () => {
    const url = await freshDatabase(postgres?.url ?? '');
    const writer = openPostgres(url);
    await migrate(writer);
    await expectReading(writer, openPostgres(url, { readOnly: true }));
  });
});
