import { expect, test } from 'bun:test';
import { insertBuckets } from '../../../../tests/support/fixtures/bucket-rows.ts';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { gated } from '../../../../tests/support/server/gated-database.ts';
import { runStatements } from '../../../platform/db/batch.ts';
import { cancelDelete, scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import { newUpload } from '../sessions/create-upload.ts';
import * as parts from '../sessions/parts-store.ts';
import * as store from '../sessions/store.ts';
import { ObjectDataStore } from './data-store.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const PREFIX = 'u/upload/';

await describeEachEngine('a tus upload', (openDatabase) => {
  /** Opens a database with an upload that has received some of its bytes. */
  async function opened(received: number, length: number) {
    const database = gated(await openDatabase());
    await insertBuckets(database.db, NOW);
    const owner = { bucketId: 'b', uploader: 'key', clientId: null };
    const own = { id: 'upload', protocol: 'tus', prefix: PREFIX } as const;
    const upload = newUpload(owner, NOW, { ...own, length, received });
    await database.batch(store.uploadInsertions(database.db, upload));
    return database;
  }
  const append = ({ transaction }: Awaited<ReturnType<typeof opened>>, id: string, at: number) =>
    transaction((tx) =>
      parts.appendPart(tx, {
        ...{
          upload_id: id,
          position: at,
          size: 5,
          object_key: `${PREFIX}${at}`,
          sha256: null,
          md5: null,
          checksum: null,
        },
      }),
    );

  test.each([
    ['at its end is added', 'upload', 10, true],
    ['that another process has added is refused', 'upload', 0, false],
    ['that overlaps the one before is refused', 'upload', 9, false],
    ['that leaves a gap is refused', 'upload', 11, false],
    ['of an upload that is deleted is refused', 'deleted', 10, false],
  ])('a part %s', async (_, id, position, isAdded) => {
    const database = await opened(10, 100);
    expect(await append(database, id, position)).toBe(isAdded);
    expect((await store.findUpload(database.db, 'upload'))?.received).toBe(isAdded ? 15 : 10);
    expect(await parts.listParts(database.db, id)).toHaveLength(isAdded ? 1 : 0);
  });

  test('that is finished while it is cancelled keeps the objects of its file', async () => {
    const database = await opened(1, 1);
    const { db } = database;
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
    expect(await store.findUpload(db, 'upload')).toMatchObject({ file_id: 'file' });
  });
});
