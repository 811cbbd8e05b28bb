import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { until } from '../../../tests/support/client/wait.ts';
import { fileRows } from '../../../tests/support/fixtures/file-rows.ts';
import { describeOnPostgres } from '../../../tests/support/server/engines.ts';
import { runStatements } from '../../platform/db/batch.ts';
import { openMemoryEvents } from '../../platform/events/memory.ts';
import { openCharged } from '../billing/testing/charged-fixture.ts';
import { FileDeletion } from './file-deletion.ts';
import { fileInsertions } from './store.ts';

// SQLite has one transaction at a time that writes.
await describeOnPostgres('the deletion of a file', (openDatabase) => {
  test('does not deadlock with what has its bucket for itself and changes the file', async () => {
    const database = await openDatabase();
    const { buckets, makeBucket, userId } = await openCharged(database);
    const bucketId = await makeBucket();
    const [row] = fileRows(bucketId, 1);
    if (!row) throw new Error('There is no row.');
    await database.transaction((tx) => runStatements(tx, fileInsertions(tx, row)));

    const isCounting = Promise.withResolvers<void>();
    const isOtherWaiting = Promise.withResolvers<void>();
    const tries = { deletion: 0, other: 0 };
    const contents: typeof buckets.contents = Object.create(buckets.contents);
    contents.remove = async (...removed) => {
      tries.deletion += 1;
      isCounting.resolve();
      await isOtherWaiting.promise;
      return buckets.contents.remove(...removed);
    };
    const deletion = new FileDeletion({
      ...{
        database,
        clock: () => Date.now(),
        events: openMemoryEvents({ onError() {} }),
        appUrl: '',
      },
      versions: { onDeletion: async () => {}, afterDeletion() {} },
      webhooks: { announcements: async () => [] },
      regionRouter: (() => ({ root: '', cdnUrl: '' })) as never,
      buckets: { contents },
    });
    const bucket = { id: bucketId, user_id: userId, region: null };
    const deleting = deletion.deleteFile(bucket as never, row.id, 'system');
    await isCounting.promise;
    const changing = database.transaction(async (tx) => {
      tries.other += 1;
      await buckets.contents.lock(tx, bucketId);
      const change = tx.updateTable('files').set({ name: 'b' }).where('id', '=', row.id);
      return (await change.executeTakeFirstOrThrow()).numUpdatedRows;
    });
    await until(async () => {
      const { rows } = await sql`select from pg_locks where not granted and pid in
        (select pid from pg_stat_activity where datname = current_database())`.execute(database.db);
      return rows.length > 0;
    });
    isOtherWaiting.resolve();
    expect(await changing).toBe(0n);
    await deleting;
    expect(tries).toEqual({ deletion: 1, other: 1 });
  });
});
