import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { prepareStatement } from './prepare-statement.ts';

await describeEachEngine('a prepared statement', (open) => {
  test('is built once for a database, and runs with the values of each call', async () => {
    const { db } = await open();
    let built = 0;
    const insert = prepareStatement((db, row: { prefix: string; not_before: number }) => {
      built += 1;
      return db.insertInto('pending_deletes').values(row).returning(['prefix', 'not_before']);
    });
    const first = { prefix: 'a/', not_before: 1 };
    const second = { not_before: 2, prefix: 'b/' };
    expect((await insert(db, first)).rows).toEqual([first]);
    expect((await insert(db, second)).rows).toEqual([second]);
    expect(built).toBe(1);
  });

  test('keeps the values that it was written with, and takes null', async () => {
    const { db, transaction } = await open();
    const insert = prepareStatement(
      (db, { prefix, owner }: { prefix: string; owner: string | null }) =>
        db
          .insertInto('pending_deletes')
          .values({ prefix, not_before: 7, user_id: owner })
          .returning(['not_before', 'user_id']),
    );
    const add = (prefix: string, owner: string | null) =>
      transaction((tx) => insert(tx, { prefix, owner }));
    expect((await add('a/', 'u')).rows).toEqual([{ not_before: 7, user_id: 'u' }]);
    expect((await add('b/', null)).rows).toEqual([{ not_before: 7, user_id: null }]);
    const { count } = await db
      .selectFrom('pending_deletes')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(2);
  });
});

await describeEachEngine('a statement that was prepared for one database', (open) => {
  test('is built anew for another one, whose language may differ', async () => {
    const find = prepareStatement((db, { prefix }: { prefix: string }) =>
      db.selectFrom('pending_deletes').select('prefix').where('prefix', '=', prefix),
    );
    for (const { db } of [await open(), await open()]) {
      expect((await find(db, { prefix: 'a/' })).rows).toEqual([]);
    }
  });
});
