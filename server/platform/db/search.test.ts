import { Database as Sqlite } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { toPage } from './listing.ts';
import type { Database, Executor } from './port.ts';
import { SCANNED_ROWS, searched } from './search.ts';

/** The oldest rows, from the oldest on; those above them are more than a search looks through. */
const OLDEST = [
  'plain@example.com',
  'needle.box@example.com',
  'needle.100%@example.com',
  'needle_under@example.com',
  'quote"d@example.com',
  'back\\slash@example.com',
  'größe@example.com',
  '針と糸@example.com',
  'zq@example.com',
];
const idOf = (n: number) => String(n).padStart(26, '0');

/** Rebuilds a SQLite file over a connection of its own, because `vacuum` can't run in a transaction. */
async function vacuum(db: Executor) {
  const { rows } = await sql<{ file: string }>`pragma database_list`.execute(db);
  using file = new Sqlite(rows[0]?.file);
  file.run('vacuum');
}

await describeEachEngine('a search', (open) => {
  const filled = async () => {
    const database = await open();
    const oldest = OLDEST.map((email, n) => ({ id: idOf(n), email }));
    const columns = { password_hash: '', status: 'active', created_at: 0 } as const;
    await database.db
      .insertInto('users')
      .values(oldest.map((user) => ({ ...user, email_key: user.email, ...columns })))
      .execute();
    const pad =
      database.engine === 'sqlite' ? sql`printf('%026d', n)` : sql`lpad(n::text, 26, '0')`;
    await sql`
      with recursive numbers(n) as (
        select 100 union all select n + 1 from numbers where n < ${99 + SCANNED_ROWS}
      )
      insert into users (id, email, email_key, password_hash, status, created_at)
      select ${pad}, n || '@new.example', n || '@new.example', '', 'active', 0 from numbers`.execute(
      database.db,
    );
    return database;
  };

  const pageOf = async (database: Database, words: string, cursor = '0', isIndexed = true) => {
    const ids = database.db.selectFrom('users').select('id');
    const users = database.db.selectFrom('users').select(['id', 'email_key']);
    const range = { words, cursor, limit: 3, isIndexed };
    const { rows, end } = await searched(database, 'users', { ids, rows: users }, range);
    return toPage(rows, 3, (row) => row.email_key, end);
  };

  /** Returns what all pages of a search hold, and how many pages there are. */
  const allOf = async (database: Database, words: string, isIndexed = true) => {
    const found: string[] = [];
    for (let pages = 1, cursor: string | null = '0'; ; pages += 1) {
      const page: { data: string[]; nextId: string | null } = await pageOf(
        database,
        words,
        cursor,
        isIndexed,
      );
      found.push(...page.data);
      cursor = page.nextId;
      if (cursor === null) return { found, pages };
    }
  };

  test('finds old rows that contain every word, whatever its characters', async () => {
    const database = await filled();
    const searches = [
      'needle',
      'NEEDLE & box',
      '100%',
      '_under',
      'e"d@',
      'k\\s',
      'größe',
      '針と糸',
    ];
    for (const words of [...searches, 'needle&nowhere', 'nowhere', 'example.com&plain']) {
      const terms = words.toLowerCase().split('&');
      const expected = OLDEST.filter((email) => terms.every((term) => email.includes(term.trim())));
      const { found } = await allOf(database, words);
      expect([words, found]).toEqual([words, expected.reverse()]);
    }
    expect((await allOf(database, 'example.com')).found).toEqual([...OLDEST].reverse());
    expect((await pageOf(database, ' & ')).data).toHaveLength(3);
  });

  test('finds what the newest rows contain, in their order, page by page', async () => {
    const database = await filled();
    const { found } = await allOf(database, '77@new');
    expect(found).toHaveLength(100);
    expect(found).toEqual(
      found.toSorted((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10)),
    );
  });

  test('without words for the index it examines so many rows, and the next page goes on', async () => {
    const database = await filled();
    const first = await pageOf(database, 'zq');
    expect(first).toEqual({ data: [], nextId: idOf(100) });
    expect(await pageOf(database, 'zq', idOf(100))).toEqual({
      data: ['zq@example.com'],
      nextId: null,
    });
    expect(await allOf(database, 'needle', false)).toEqual({
      found: OLDEST.slice(1, 4).reverse(),
      pages: 2,
    });
  });

  test('finds rows by what they contain after a change, and none that are deleted', async () => {
    const database = await filled();
    const { db } = database;
    const users = db.updateTable('users').where('id', '=', idOf(0));
    await users.set({ email_key: 'changed@example.com' }).execute();
    await db.deleteFrom('users').where('id', '=', idOf(1)).execute();
    // SQLite may give rows without an integer key other rowids, by which the index knows them.
    if (database.engine === 'sqlite') await vacuum(db);
    expect((await allOf(database, 'changed')).found).toEqual(['changed@example.com']);
    expect((await allOf(database, 'plain')).found).toEqual([]);
    expect((await allOf(database, 'needle')).found).toEqual(OLDEST.slice(2, 4).reverse());
  });

  test('finds the same without the extension of PostgreSQL', async () => {
    const database = await filled();
    if (database.engine === 'sqlite') return;
    await sql`drop extension pg_trgm cascade`.execute(database.db);
    expect((await allOf(database, 'needle')).found).toEqual(OLDEST.slice(1, 4).reverse());
  });
});
