import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import type { Database } from '../../../platform/db/port.ts';
import { closeAccount } from '../charging/charges-store.ts';
import { killedAt } from '../testing/charged-fixture.ts';
import { post } from './ledger.ts';
import { balanceOf } from './ledger-store.ts';
import { SignupCredit } from './signup-credit.ts';

const credit = new SignupCredit({ amount: 1_000_000, keys: [new Uint8Array(32)] });

const signUp = (database: Database, id: string, email_key: string) =>
  database.transaction((tx) => credit.open(tx, { id, email_key }, 1));

/** Deletes an account after its balance has changed by `amount`. */
const remove = (database: Database, id: string, email_key: string, amount: number) =>
  database.transaction(async (tx) => {
    await post(tx, { userId: id, kind: 'charge', amount, ref: `spent:${id}`, at: 2 });
    await closeAccount(tx, id, 3);
    await credit.remember(tx, { id, email_key });
  });

await describeEachEngine('the credit of a new account', (open) => {
  test('is given once to an address, also after it was deleted', async () => {
    const database = await open();
    await signUp(database, 'a1', 'a@example.com');
    expect(await balanceOf(database.db, 'a1')).toBe(1_000_000);
    await remove(database, 'a1', 'a@example.com', -1_000_000);
    await signUp(database, 'a2', 'a@example.com');
    expect(await balanceOf(database.db, 'a2')).toBe(0);
    await signUp(database, 'b1', 'b@example.com');
    expect(await balanceOf(database.db, 'b1')).toBe(1_000_000);
  });

  test('is the debt of the deleted account where it had one, at each sign-up', async () => {
    const database = await open();
    await signUp(database, 'a1', 'a@example.com');
    await remove(database, 'a1', 'a@example.com', -6_000_000);
    await signUp(database, 'a2', 'a@example.com');
    expect(await balanceOf(database.db, 'a2')).toBe(-5_000_000);
    await remove(database, 'a2', 'a@example.com', -1);
    await signUp(database, 'a3', 'a@example.com');
    expect(await balanceOf(database.db, 'a3')).toBe(-5_000_001);
  });

  test('leaves the debt with an account that has only moved to another address', async () => {
    const database = await open();
    await signUp(database, 'a1', 'a@example.com');
    await database.transaction((tx) =>
      post(tx, { userId: 'a1', kind: 'charge', amount: -6_000_000, ref: 'c', at: 2 }),
    );
    await signUp(database, 'a2', 'a@example.com');
    expect(await balanceOf(database.db, 'a2')).toBe(0);
    await remove(database, 'a1', 'moved@example.com', -1);
    await signUp(database, 'a3', 'moved@example.com');
    expect(await balanceOf(database.db, 'a3')).toBe(-5_000_001);
  });

  test('is given to all accounts from before the ledger, also after an interruption', async () => {
    const database = await open();
    const ids = ['01', '02', '03'];
    const row = { password_hash: '', status: 'active', created_at: 1 } as const;
    await database.db
      .insertInto('users')
      .values(ids.map((id) => ({ ...row, id, email: `${id}@b.c`, email_key: `${id}@b.c` })))
      .execute();
    const balances = () => Promise.all(ids.map((id) => balanceOf(database.db, id)));
    await signUp(database, '04', '04@b.c');
    const openEarlier = (on: Database) => credit.openEarlierAccounts(on, 1);
    await expect(openEarlier(killedAt(database, 1))).rejects.toThrow('killed');
    expect((await balances()).filter((balance) => balance > 0)).toHaveLength(1);
    await Promise.all([openEarlier(database), openEarlier(database)]);
    await openEarlier({ ...database, transaction: () => Promise.reject(new Error('nobody')) });
    expect(await balances()).toEqual([1_000_000, 1_000_000, 1_000_000]);
  });

  test('knows an address by the previous secret too', async () => {
    const database = await open();
    await signUp(database, 'a1', 'a@example.com');
    await remove(database, 'a1', 'a@example.com', -6_000_000);
    const keys = [new Uint8Array(32).fill(1), new Uint8Array(32)] as const;
    const rotated = new SignupCredit({ amount: 1_000_000, keys });
    await database.transaction((tx) =>
      rotated.open(tx, { id: 'a2', email_key: 'a@example.com' }, 1),
    );
    expect(await balanceOf(database.db, 'a2')).toBe(-5_000_000);
  });

  test('keeps no address that could be read', async () => {
    const database = await open();
    await signUp(database, 'a1', 'a@example.com');
    const rows = await database.db.selectFrom('credited_addresses').selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('example');
  });
});
