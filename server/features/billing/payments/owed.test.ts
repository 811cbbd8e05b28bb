import { expect, test } from 'bun:test';
import { CompiledQuery, sql } from 'kysely';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { owedPayments } from './store.ts';

const PAYMENTS = 20_000;

await describeEachEngine('the list of payments that are owed', (openDatabase) => {
  test('is read by its index, not by a look at every payment', async () => {
    const { db, engine } = await openDatabase();
    const isSqlite = engine === 'sqlite';
    const id = isSqlite ? sql`printf('p%08d', n)` : sql`'p' || lpad(n::text, 8, '0')`;
    const numbers = sql`with recursive numbers(n) as
      (select 1 union all select n + 1 from numbers where n < ${sql.lit(PAYMENTS)})`;
    await sql`
      insert into payments (id, user_id, provider, amount, status, refund_due, created_at, expires_at)
      ${numbers} select ${id}, 'u', 'stripe', 5000000, 'paid', case when n = 7 then 5000000 else 0 end, n, n
      from numbers`.execute(db);
    await sql`analyze`.execute(db);
    const listed = await owedPayments(db, {}).execute();
    expect(listed.map((row) => row.id)).toEqual(['p00000007']);
    const query = owedPayments(db, { cursor: 'p00000100', from: '1970-01-01' }).compile();
    const explain = isSqlite ? 'explain query plan' : 'explain';
    const plan = CompiledQuery.raw(`${explain} ${query.sql}`, [...query.parameters]);
    expect(JSON.stringify((await db.executeQuery(plan)).rows)).toContain('payments_owed');
  });
});
