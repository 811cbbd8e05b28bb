import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { rounds } from '../../../../tests/support/fixtures/torture.ts';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import type { Database } from '../../../platform/db/port.ts';
import { randomNumbers } from '../../usage/testing/model.ts';
import { type Posting, post } from './ledger.ts';
import { balanceOf } from './ledger-store.ts';

const OPERATIONS = rounds(10_000, 1_000);

const payment = (change: Partial<Posting> = {}): Posting => ({
  userId: 'u1',
  kind: 'payment',
  amount: 5_000_000,
  ref: 'p1',
  at: 1_000,
  ...change,
});

await describeEachEngine('the ledger', (open) => {
  const posting = (database: Database, ...all: Posting[]) =>
    database.transaction(async (tx) => {
      const results = [];
      for (const one of all) results.push(await post(tx, one));
      return results;
    });
  const entriesOf = (database: Database, userId: string) =>
    database.db
      .selectFrom('ledger_entries')
      .selectAll()
      .where('user_id', '=', userId)
      .orderBy('seq')
      .execute();

  test('chains the entries of an account, each with the balance after it', async () => {
    const database = await open();
    expect(await balanceOf(database.db, 'u1')).toBe(0);
    await posting(
      database,
      payment({ detail: { by: 'card' } }),
      payment({ kind: 'charge', ref: 'c1', amount: -7, at: 2_000 }),
      payment({ userId: 'u2', ref: 'p2', amount: 1 }),
    );
    expect(await entriesOf(database, 'u1')).toEqual([
      {
        user_id: 'u1',
        seq: 1,
        amount: 5_000_000,
        balance: 5_000_000,
        paid: 5_000_000,
        kind: 'payment',
        ref: 'p1',
        bucket_id: null,
        detail: '{"by":"card"}',
        created_at: 1_000,
      },
      {
        user_id: 'u1',
        seq: 2,
        amount: -7,
        balance: 4_999_993,
        paid: 4_999_993,
        kind: 'charge',
        ref: 'c1',
        bucket_id: null,
        detail: null,
        created_at: 2_000,
      },
    ]);
    expect(await balanceOf(database.db, 'u1')).toBe(4_999_993);
    expect(await balanceOf(database.db, 'u2')).toBe(1);
  });

  test('posts a ref once, also years later, for whatever amount and whomever', async () => {
    const database = await open();
    const [first] = await posting(database, payment());
    const repeated = await posting(
      database,
      payment({ amount: 9, at: 1e12 }),
      payment({ userId: 'u2' }),
    );
    expect(first?.isNew).toBe(true);
    expect(repeated).toEqual([1, 2].map(() => ({ entry: first?.entry as never, isNew: false })));
    expect([await balanceOf(database.db, 'u1'), await balanceOf(database.db, 'u2')]).toEqual([
      5_000_000, 0,
    ]);
  });

  test('credits once what many post at the same moment, for one account or for several', async () => {
    const database = await open();
    const results = await Promise.all(
      Array.from({ length: 16 }, (_, n) => posting(database, payment({ userId: `u${n % 2}` }))),
    );
    expect(results.flat().filter(({ isNew }) => isNew)).toHaveLength(1);
    const sum = (await balanceOf(database.db, 'u0')) + (await balanceOf(database.db, 'u1'));
    expect(sum).toBe(5_000_000);
  });

  test('keeps nothing of a transaction that rolls back, and the ref is free again', async () => {
    const database = await open();
    const failing = database.transaction(async (tx) => {
      await post(tx, payment());
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await entriesOf(database, 'u1')).toEqual([]);
    expect((await posting(database, payment()))[0]?.isNew).toBe(true);
  });

  test('refuses what is no amount', async () => {
    const database = await open();
    for (const amount of [0, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      await expect(posting(database, payment({ amount }))).rejects.toThrow(RangeError);
    }
    expect(await entriesOf(database, 'u1')).toEqual([]);
  });

  test('sums months by kind, at the moment to which an entry counts', async () => {
    const database = await open();
    const january = Date.parse('2026-01-31T23:59:59.999Z');
    await posting(
      database,
      payment({ at: january }),
      payment({ kind: 'charge', ref: 'c1', amount: -3, at: january }),
      payment({ kind: 'charge', ref: 'c2', amount: -4, at: january + 1 }),
      payment({ kind: 'charge', ref: 'c3', amount: -5, at: january }),
    );
    const months = await database.db
      .selectFrom('ledger_months')
      .select(['month', 'kind', 'amount', 'entries'])
      .orderBy('month')
      .orderBy('kind')
      .execute();
    const start = Date.parse('2026-01-01');
    expect(months).toEqual([
      { month: start, kind: 'charge', amount: -8, entries: 2 },
      { month: start, kind: 'payment', amount: 5_000_000, entries: 1 },
      { month: january + 1, kind: 'charge', amount: -4, entries: 1 },
    ]);
  });

  const tampering: Record<string, string> = {
    'a change of an amount': `update ledger_entries set amount = 1`,
    'a change of anything': `update ledger_entries set detail = 'x'`,
    'a removal': `delete from ledger_entries`,
    'a gap': `insert into ledger_entries values ('u1', 3, 1, 5000001, 'grant', 'x', null, null, 1, null)`,
    'a sequence number twice': `insert into ledger_entries values ('u1', 1, 1, 5000001, 'grant', 'x', null, null, 1, null)`,
    'a balance that does not add up': `insert into ledger_entries values ('u1', 2, 1, 5000002, 'grant', 'x', null, null, 1, null)`,
    'a first entry that does not begin at 1': `insert into ledger_entries values ('u9', 2, 1, 1, 'grant', 'x', null, null, 1, null)`,
    'a first balance out of nothing': `insert into ledger_entries values ('u9', 1, 1, 2, 'grant', 'x', null, null, 1, null)`,
    'a ref twice': `insert into ledger_entries values ('u1', 2, 1, 5000001, 'grant', 'p1', null, null, 1, null)`,
    'an entry of nothing': `insert into ledger_entries values ('u1', 2, 0, 5000000, 'grant', 'x', null, null, 1, null)`,
    'more than a number holds': `insert into ledger_entries values ('u9', 1, 9007199254740992, 9007199254740992, 'grant', 'x', null, null, 1, null)`,
  };
  test('the database itself refuses every change, and all that does not follow', async () => {
    const database = await open();
    await posting(database, payment());
    const before = await entriesOf(database, 'u1');
    const replacing =
      database.engine === 'sqlite'
        ? `insert or replace into ledger_entries values ('u1', 2, 1, 5000001, 'grant', 'p1', null, null, 1, null)`
        : 'truncate ledger_entries';
    for (const statement of [...Object.values(tampering), replacing]) {
      await expect(sql.raw(statement).execute(database.db)).rejects.toThrow();
      expect(await database.db.selectFrom('ledger_entries').selectAll().execute()).toEqual(before);
    }
    const good = `insert into ledger_entries values ('u1', 2, 1, 5000001, 'grant', 'x', null, null, 1, null)`;
    await sql.raw(good).execute(database.db);
  });

  test('thousands of random operations by 8 workers at once come to what a model says', async () => {
    const database = await open();
    const random = randomNumbers(7);
    const below = (limit: number) => Math.floor(random() * limit);
    // One ref always means one posting, as of a payment that is told of several times.
    const postings = Array.from(
      { length: OPERATIONS * 0.7 },
      (_, n): Posting => ({
        userId: `u${below(5)}`,
        kind: n % 3 ? 'charge' : 'payment',
        amount: n % 3 ? -1 - below(9_000) : 1 + below(30_000),
        ref: `op:${n}`,
        at: n,
      }),
    );
    const batches: { all: Posting[]; fails: boolean }[] = [];
    for (let remaining = OPERATIONS; remaining > 0; ) {
      const size = Math.min(remaining, 1 + below(8));
      const all = Array.from({ length: size }, () => postings[below(postings.length)] as Posting);
      all.sort((a, b) => (a.userId < b.userId ? -1 : 1));
      batches.push({ all, fails: below(20) === 0 });
      remaining -= size;
    }
    const posted = new Map<string, Posting>();
    let next = 0;
    const worker = async () => {
      for (let batch = batches[next++]; batch; batch = batches[next++]) {
        const { all, fails } = batch;
        const doing = database.transaction(async (tx) => {
          for (const one of all) await post(tx, one);
          if (fails) throw new Error('cut off');
        });
        const error = await doing.then(() => null, String);
        expect(error).toBe(fails ? 'Error: cut off' : null);
        if (!fails) for (const one of all) posted.set(one.ref, one);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));

    for (const userId of ['u0', 'u1', 'u2', 'u3', 'u4']) {
      const expected = [...posted.values()].filter((one) => one.userId === userId);
      const entries = await entriesOf(database, userId);
      expect(entries.map(({ ref }) => ref).sort()).toEqual(expected.map(({ ref }) => ref).sort());
      let balance = 0;
      entries.forEach((entry, index) => {
        balance += entry.amount;
        expect([entry.seq, entry.balance]).toEqual([index + 1, balance]);
      });
      expect(balance).toBe(expected.reduce((sum, { amount }) => sum + amount, 0));
      expect(await balanceOf(database.db, userId)).toBe(balance);
    }
  });
});
