import { expect, test } from 'bun:test';
import { insertBuckets } from '../../../../tests/support/fixtures/bucket-rows.ts';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { SECOND } from '../../../contract/limits.ts';
import { ACCESSES, FILE_TYPES } from '../../../contract/schemas/files.ts';
import { newId } from '../../../platform/ids.ts';
import { fileInsertions } from '../store.ts';
import type { MediaFileRow } from '../tables.ts';
import { recentFiles } from './recent-files.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');

await describeEachEngine('the newest files of an account', (open) => {
  /** Fills three buckets of one user with files of all kinds in turn, and one of another user with newer files. */
  const filled = async () => {
    const database = await open();
    const { db } = database;
    await insertBuckets(db, NOW, ['a', 'b', 'empty', 'stranger']);
    await db
      .updateTable('buckets')
      .set(({ ref }) => ({ name: ref('id') }))
      .execute();
    const stranger = { id: 'v', email: 'v', email_key: 'v', password_hash: '', created_at: NOW };
    await db
      .insertInto('users')
      .values({ ...stranger, status: 'active' })
      .execute();
    await db.updateTable('buckets').set({ user_id: 'v' }).where('id', '=', 'stranger').execute();
    let seconds = 0;
    const fileOf = (bucket_id: string, index: number) => {
      const at = NOW + ++seconds * SECOND;
      const file_type = FILE_TYPES[index % FILE_TYPES.length];
      const access = ACCESSES[index % ACCESSES.length];
      return {
        ...{ id: newId(at), path: `${index}`, bucket_id, name: `${bucket_id}-${index}`, size: 1 },
        ...{ content_type: 'image/jpeg', file_type, access, blob_id: null, sha256: null },
        ...{ stored_bytes: 1, superseded_at: null, created_at: at, status: 'success' },
        thumb_hash: 'hash',
      } as MediaFileRow;
    };
    const files = Array.from({ length: 20 }, (_, index) => fileOf(index < 10 ? 'a' : 'b', index));
    const others = [1, 2, 3].map((index) => fileOf('stranger', index));
    await database.batch([...files, ...others].flatMap((file) => fileInsertions(db, file)));
    return { db, userId: 'u', files };
  };
  const idsOf = (files: { id: string }[] = []) => files.map(({ id }) => id);

  test('are those of all its buckets and of all types, newest first, and never those of another account', async () => {
    const { db, userId, files } = await filled();
    const { recent } = await recentFiles(db, userId, []);
    expect(idsOf(recent)).toEqual(idsOf(files.slice(-6).toReversed()));
    expect(recent[0]).toMatchObject({ name: 'b-19', bucket_id: 'b', status: 'success' });
    expect(recent[0]?.bucket_name).toBe('b');
  });

  test('go on with those of another bucket where the newest one has few', async () => {
    const { db, userId, files } = await filled();
    const kept = files.filter(({ bucket_id }, index) => bucket_id === 'a' || index > 17);
    const dropped = idsOf(files).filter((id) => !idsOf(kept).includes(id));
    await db.deleteFrom('files').where('id', 'in', dropped).execute();
    const { recent } = await recentFiles(db, userId, []);
    expect(idsOf(recent)).toEqual(idsOf(kept.slice(-6).toReversed()));
  });

  test('are not those that were replaced or deleted, or whose bucket is being deleted', async () => {
    const { db, userId, files } = await filled();
    const newest = files.at(-1)?.id ?? '';
    await db.updateTable('files').set({ superseded_at: NOW }).where('id', '=', newest).execute();
    expect(idsOf((await recentFiles(db, userId, [])).recent)).not.toContain(newest);
    await db.updateTable('buckets').set({ status: 'deleting' }).where('id', '=', 'b').execute();
    const { recent, previews } = await recentFiles(db, userId, ['b']);
    expect(idsOf(recent)).toEqual(idsOf(files.slice(4, 10).toReversed()));
    expect(previews).toEqual({});
  });

  test('of each bucket are its preview, which an empty bucket and that of another account have not', async () => {
    const { db, userId, files } = await filled();
    const { previews } = await recentFiles(db, userId, ['a', 'empty', 'stranger', 'none']);
    expect(Object.keys(previews)).toEqual(['a']);
    expect(idsOf(previews.a)).toEqual(idsOf(files.slice(6, 10).toReversed()));
  });
});
