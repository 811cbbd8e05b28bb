import { expect, test } from 'bun:test';
import { insertBuckets } from '../../../../tests/support/fixtures/bucket-rows.ts';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { gated } from '../../../../tests/support/server/gated-database.ts';
import { runStatements } from '../../../platform/db/batch.ts';
import { cancelDelete, scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import { ObjectDataStore } from './data-store.ts';
import * as store from './store.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const PREFIX = 'u/upload/';

await describeEachEngine('a tus upload', (openDatabase) => {
  /** Opens a database with an upload that has received 10 of 100 bytes. */
  async function opened() {
    const database = await openDatabase();
    await insertBuckets(database.db, NOW);
    await database.batch([
      store.uploadInsertion(database.db, {
        ...{ id: 'upload', bucket_id: 'b', uploader: 'key', prefix: PREFIX, metadata: '{}' },
        ...{ length: 100, received: 10, file_id: null, created_at: NOW, expires_at: NOW + 1000 },
      }),
    ]);
    return database;
  }
  const append = ({ transaction }: Awaited<ReturnType<typeof opened>>, id: string, at: number) =>
    transaction((tx) =>
      store.appendPart(tx, { upload_id: id, position: at, size: 5, object_key: `${PREFIX}${at}` }),
    );

  test.each([
    ['at its end is added', 'upload', 10, true],
    ['that another process has added is refused', 'upload', 0, false],
    ['that overlaps the one before is refused', 'upload', 9, false],
    ['that leaves a gap is refused', 'upload', 11, false],
    ['of an upload that is deleted is refused', 'deleted', 10, false],
  ])('a part %s', async (_, id, position, isAdded) => {
    const database = await opened();
    expect(await append(database, id, position)).toBe(isAdded);
    expect((await store.findUpload(database.db, 'upload', NOW))?.received).toBe(isAdded ? 15 : 10);
    expect(await store.listParts(database.db, id)).toHaveLength(isAdded ? 1 : 0);
  });

  test('that is finished while it is cancelled keeps the objects of its file', async () => {
    const database = gated(await openDatabase());
    const { db } = database;
    const at = { created_at: NOW };
    await insertBuckets(db, NOW);
    await database.batch([
      store.uploadInsertion(db, {
        ...{ id: 'upload', bucket_id: 'b', uploader: 'key', prefix: PREFIX, metadata: '{}' },
        ...{ length: 1, received: 1, file_id: null, ...at, expires_at: NOW + 1000 },
      }),
    ]);
    await scheduleDelete(db, PREFIX, NOW + 1000);
    const services = { database, clock: () => NOW } as never;
    const uploads = new ObjectDataStore(services, {} as never);
    const finish = () =>
      database.transaction(async (tx) => {
        const file = { fileId: 'file', expiresAt: NOW + 1000 };
        await runStatements(tx, [store.completion(tx, 'upload', file, () => null)]);
        await cancelDelete(tx, PREFIX);
      });
    const [, removal] = await database.overlap(finish, () => uploads.remove('upload'));
    expect(removal).toMatchObject({ status: 'rejected', reason: { status_code: 400 } });
    expect(await db.selectFrom('pending_deletes').selectAll().execute()).toEqual([]);
    expect(await store.findUpload(db, 'upload', NOW)).toMatchObject({ file_id: 'file' });
  });
});
