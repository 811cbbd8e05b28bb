import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { DAY, KIB, MINUTE } from '../../../contract/limits.ts';
import { openUsageFixture, type UsageFixture } from '../testing/usage-fixture.ts';

const START = Date.parse('2026-03-10T22:30:00.000Z');

const insertFile = ({ database }: UsageFixture, bucketId: string, id: string) =>
  database.db
    .insertInto('files')
    .values({
      ...{ id, bucket_id: bucketId, name: `${id}.jpg`, path: id, content_type: 'image/jpeg' },
      ...{ size: 1, file_type: 'image', access: 'public', stored_bytes: 1, created_at: START },
    } as never)
    .execute();

function request({ usage }: UsageFixture, bucketId: string, id: string, times = 1) {
  const [countRequest, countSent] = [
    usage.requestCounterOf(bucketId, id),
    usage.counterOf(bucketId, id),
  ];
  for (let n = 0; n < times; n += 1) {
    countRequest(true);
    countSent(KIB);
  }
}

/** Writes everything that was counted. */
async function write({ usage }: UsageFixture) {
  await usage.flush();
  await usage.topFiles.write();
}

const rowsOf = ({ database }: UsageFixture, bucketId: string) =>
  database.db
    .selectFrom('file_requests')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .orderBy('day')
    .orderBy('requests', 'desc')
    .execute();

await describeEachEngine('top files', (open) => {
  const openFixture = async () => openUsageFixture(await open(), START);
  const topOf = async (h: UsageFixture, id: string, query = {}) =>
    (await h.usage.topFiles.of(id, query)).files.map((file) => [file.id, file.requests]);

  test('the files with the most requests come first, with the days of the range alone', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    for (const file of ['a', 'b', 'c']) await insertFile(h, id, file);
    request(h, id, 'a', 5);
    request(h, id, 'b', 2);
    await write(h);
    h.move(DAY);
    // A request reads no clock: the first one after midnight may count towards the day before.
    await h.usage.flush();
    request(h, id, 'b', 4);
    request(h, id, 'c');
    await write(h);
    expect(await h.usage.topFiles.of(id, {})).toEqual({
      files: [
        { id: 'b', name: 'b.jpg', requests: 6, bytes: 6 * KIB, is_estimate: false },
        { id: 'a', name: 'a.jpg', requests: 5, bytes: 5 * KIB, is_estimate: false },
        { id: 'c', name: 'c.jpg', requests: 1, bytes: KIB, is_estimate: false },
      ],
    });
    const today = { from: '2026-03-11', to: '2026-03-11' };
    expect(await topOf(h, id, today)).toEqual([
      ['b', 4],
      ['c', 1],
    ]);
    expect(await topOf(h, id, { from: '2026-02-01', to: '2026-02-20' })).toEqual([]);
    const tooLong = h.usage.topFiles.of(id, { from: '2025-01-01', to: '2026-03-11' });
    expect(tooLong).rejects.toThrow('at most 92 days');
  });

  test('requests are written once a minute, and not with the bytes', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await insertFile(h, id, 'a');
    request(h, id, 'a');
    await h.usage.flush();
    expect(await rowsOf(h, id)).toEqual([]);
    h.move(MINUTE);
    request(h, id, 'a');
    await h.usage.flush();
    expect(await topOf(h, id)).toEqual([['a', 2]]);
    await h.usage.flush();
    request(h, id, 'a');
    await h.usage.stop();
    expect(await topOf(h, id)).toEqual([['a', 3]]);
  });

  test('what a lost confirmation leaves open is written once', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    await insertFile(h, id, 'a');
    request(h, id, 'a', 2);
    await h.usage.flush();
    const { transaction } = h.database;
    h.database.transaction = async (work) => {
      await transaction(work);
      throw new Error('The database is not responding.');
    };
    await expect(h.usage.topFiles.write()).rejects.toThrow('not responding');
    Object.assign(h.database, { transaction });
    await h.usage.topFiles.write();
    expect(await topOf(h, id)).toEqual([['a', 2]]);
  });

  test('a day has fifty rows at most, and a file that came in later is an estimate', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    for (let n = 0; n < 80; n += 1) request(h, id, `f${n}`, n + 1);
    await write(h);
    expect(await rowsOf(h, id)).toHaveLength(50);
    await insertFile(h, id, 'f79');
    await insertFile(h, id, 'f0');
    request(h, id, 'f0', 60);
    await write(h);
    const rows = await rowsOf(h, id);
    expect(rows).toHaveLength(50);
    expect(rows.some((row) => row.file_id === 'f30')).toBe(false);
    expect((await h.usage.topFiles.of(id, {})).files).toMatchObject([
      { id: 'f79', requests: 80, is_estimate: false },
      { id: 'f0', requests: 60, is_estimate: true },
    ]);
  });

  test('deleted files, files of others and deleted buckets are left out', async () => {
    const h = await openFixture();
    const [id, other] = [await h.makeBucket(), await h.makeBucket()];
    await insertFile(h, id, 'a');
    await insertFile(h, other, 'b');
    request(h, id, 'a');
    request(h, id, 'b');
    request(h, id, 'gone');
    await write(h);
    request(h, other, 'b', 3);
    request(h, 'no-bucket', 'x');
    await write(h);
    expect(await topOf(h, id)).toEqual([['a', 1]]);
    expect(await topOf(h, other)).toEqual([['b', 3]]);
    expect(await rowsOf(h, 'no-bucket')).toEqual([]);
    await h.database.db
      .updateTable('files')
      .set({ superseded_at: START, removal: 'deleted' })
      .where('id', '=', 'a')
      .execute();
    expect(await topOf(h, id)).toEqual([]);
    await h.database.db.deleteFrom('files').execute();
    await h.database.db.deleteFrom('buckets').where('id', '=', id).execute();
    expect(await rowsOf(h, id)).toEqual([]);
    expect(await rowsOf(h, other)).toHaveLength(1);
  });

  test('days are deleted after ninety days, and later ones stay', async () => {
    const h = await openFixture();
    const id = await h.makeBucket();
    request(h, id, 'a');
    await write(h);
    h.move(DAY);
    request(h, id, 'b');
    await write(h);
    h.move(90 * DAY);
    await h.usage.tidy();
    expect((await rowsOf(h, id)).map((row) => row.file_id)).toEqual(['b']);
  });
});
