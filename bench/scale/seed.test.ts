import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../server/platform/db/migrate.ts';
import { openSqlite } from '../../server/platform/db/sqlite/open.ts';
import { addBlobs } from './blobs.ts';
import { areDaysRolledUp, isCharged, leaveCharges, leaveDays } from './overdue.ts';
import { seedScale } from './seed.ts';
import { createSqliteStore } from './seeded-stores.ts';
import { sizeOf } from './size.ts';

test('the rows of the first migrations are brought to the newest schema, and can be left undone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-scale-seed-'));
  try {
    const store = await createSqliteStore(folder);
    const size = sizeOf(200);
    const now = Date.now();
    const seeding = store.open();
    const { bucketId } = await seedScale(seeding, size, now);
    await seeding.close();

    const { open } = await store.copy(folder);
    const upgraded = openSqlite(join(folder, 'wharf.db'));
    await migrate(upgraded);
    await upgraded.close();
    const database = open();
    const files = `select count(*) from files where bucket_id = '${bucketId}'`;
    expect(await database.count(files)).toBe(size.files);
    expect(await database.count('select count(*) from pragma_foreign_key_check')).toBe(0);
    await addBlobs(database);
    const shared = 'select count(*) from files join blobs on blobs.id = blob_id where refs = 1';
    expect(await database.count(shared)).toBe(await database.count('select count(*) from files'));
    for (const table of ['media', 'api_keys', 'account_totals']) {
      expect(await database.count(`select count(*) from ${table}`)).toBeGreaterThan(0);
    }
    expect(await isCharged(database, now)).toBe(true);
    await leaveCharges(database, size, now);
    expect(await isCharged(database, now)).toBe(false);
    await leaveDays(database, size, now);
    expect(await areDaysRolledUp(database, now)).toBe(false);
    await database.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});
