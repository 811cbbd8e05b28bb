import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { gated } from '../../../tests/support/server/gated-database.ts';
import type { Tx } from '../../platform/db/port.ts';
import { openCharged } from '../billing/testing/charged-fixture.ts';
import { lockBucket } from './lock-store.ts';
import { setRules } from './settings-store.ts';

await describeEachEngine('an upload, beside another change of its bucket', (openDatabase) => {
  async function open() {
    const database = gated(await openDatabase());
    const fixture = await openCharged(database);
    const bucketId = await fixture.makeBucket();
    const get = () => fixture.buckets.get(fixture.userId, bucketId);
    /** Runs `second` while a transaction that has done `first` is not yet committed. */
    const during = <Result>(first: (tx: Tx) => Promise<unknown>, second: () => Promise<Result>) =>
      database.overlap(() => database.transaction(first), second);
    return { ...fixture, database, bucketId, get, during };
  }

  test('is refused by a deletion and by a ban that are not yet committed', async () => {
    const { buckets, bucketId, makeBucket, upload, during, userId } = await open();
    const [, deleted] = await during(
      (tx) => buckets.deletion.start(tx, bucketId, 'system'),
      () => upload(bucketId, 1),
    );
    expect(deleted).toMatchObject({ status: 'rejected', reason: { status: 409 } });
    const other = await makeBucket();
    const [, banned] = await during(
      async (tx) => {
        await lockBucket(tx, other);
        await tx.updateTable('buckets').set({ banned_at: 1 }).where('id', '=', other).execute();
      },
      () => upload(other, 1),
    );
    expect(banned.status).toBe('rejected');
    expect(await buckets.ofAccount.totals(userId)).toMatchObject({ files: 0, bytes: 0 });
  });

  test('is in a bucket before it is marked as being deleted, by itself or with its account', async () => {
    for (const isAccount of [false, true]) {
      const { buckets, bucketId, upload, database, userId } = await open();
      let filesAtMark = -1;
      const mark = () =>
        database.transaction(async (tx) => {
          if (isAccount) await buckets.ofAccount.markDeleting(tx, userId);
          else await buckets.deletion.start(tx, bucketId, 'system');
          filesAtMark = (await buckets.ofAccount.totals(userId, tx)).files;
        });
      await database.overlap(() => upload(bucketId, 5), mark);
      expect(filesAtMark).toBe(1);
    }
  });

  test('waits for what has the bucket for itself, which waits for it', async () => {
    const { bucketId, upload, during, database, get } = await open();
    const order: string[] = [];
    await during(
      async (tx) => void (await lockBucket(tx, bucketId)),
      () => upload(bucketId, 1).then(() => order.push('upload')),
    );
    await database.overlap(
      () => upload(bucketId, 1),
      () =>
        database
          .transaction((tx) => lockBucket(tx, bucketId))
          .then(async () => order.push(`${(await get()).total_uploads} files`)),
    );
    expect(order).toEqual(['upload', '2 files']);
  });

  test('does not pass a storage limit together with another one, nor one that is set meanwhile', async () => {
    const { buckets, userId, bucketId, upload, database, get, during } = await open();
    const limited = (storage_limit: number) =>
      database.transaction((tx) => setRules(tx, bucketId, { storage_limit }));
    await limited(10);
    const [first, second] = await database.overlap(
      () => upload(bucketId, 6),
      () => upload(bucketId, 6),
    );
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'bucket-full' } });
    await upload(bucketId, 4);
    expect(await get()).toMatchObject({ usage: 10, total_uploads: 2 });

    await buckets.settings.setUploadRules(userId, bucketId, { storage_limit: null });
    const [, late] = await during(
      async (tx) => {
        await lockBucket(tx, bucketId);
        await setRules(tx, bucketId, { storage_limit: 11 });
      },
      () => upload(bucketId, 6),
    );
    expect(late.status).toBe('rejected');
    expect(await get()).toMatchObject({ usage: 10, total_uploads: 2 });
  });
});
