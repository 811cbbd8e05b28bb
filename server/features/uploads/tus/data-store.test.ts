import { expect, test } from 'bun:test';
import { insertBuckets } from '../../../../tests/support/fixtures/bucket-rows.ts';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { gated } from '../../../../tests/support/server/gated-database.ts';
import { cancelDelete, scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import { ObjectDataStore } from './data-store.ts';
import * as store from './store.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const PREFIX = 'u/upload/';

await describeEachEngine('a tus upload', (openDatabase) => {
  test('that is finished while it is cancelled keeps the objects of its file', async () => {
    const database = gated(await openDatabase());
    const { db } = database;
    const at = { created_at: NOW };
    await insertBuckets(db, NOW);
    await database.transaction(async (tx) => {
      await store.insertUpload(tx, {
        ...{ id: 'upload', bucket_id: 'b', uploader: 'key', prefix: PREFIX, metadata: '{}' },
        ...{ length: 1, received: 1, file_id: null, ...at, expires_at: NOW + 1000 },
      });
      await scheduleDelete(tx, PREFIX, NOW + 1000);
    });
    const services = { database, clock: () => NOW } as never;
    const uploads = new ObjectDataStore(services, {} as never);
    const finish = () =>
      database.transaction(async (tx) => {
        await store.finishUpload(tx, 'upload', 'file');
        await cancelDelete(tx, PREFIX);
      });
    const [, removal] = await database.overlap(finish, () => uploads.remove('upload'));
    expect(removal).toMatchObject({ status: 'rejected', reason: { status_code: 400 } });
    expect(await db.selectFrom('pending_deletes').selectAll().execute()).toEqual([]);
    expect(await store.findUpload(db, 'upload', NOW)).toMatchObject({ file_id: 'file' });
  });
});
