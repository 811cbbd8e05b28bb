import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import type { Database } from '../../../platform/db/port.ts';
import { mac } from '../../../platform/secrets/secrets.ts';
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
    await credit.remember(tx, { id, email_key }, 3);
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

  test('is given once to a mailbox, whatever its tags and dots', async () => {
    const database = await open();
    await signUp(database, 'a1', 'payer@example.com');
    await signUp(database, 'a2', 'payer+x@example.com');
    expect(await balanceOf(database.db, 'a2')).toBe(0);
    await signUp(database, 'a3', 'pay.er@example.com');
    expect(await balanceOf(database.db, 'a3')).toBe(1_000_000);
    await signUp(database, 'g1', 'pay.er+x@gmail.com');
    expect(await balanceOf(database.db, 'g1')).toBe(1_000_000);
    await signUp(database, 'g2', 'payer@googlemail.com');
    expect(await balanceOf(database.db, 'g2')).toBe(0);
    await remove(database, 'a1', 'payer@example.com', -3_000_000);
    await signUp(database, 'a4', 'payer+y@example.com');
    expect(await balanceOf(database.db, 'a4')).toBe(-2_000_000);
    await signUp(database, 'a5', 'payer+z@example.com');
    expect(await balanceOf(database.db, 'a5')).toBe(0);
  });

  test('does not hide a debt behind an account of the same mailbox that is deleted later', async () => {
    const database = await open();
    await signUp(database, 'a1', 'payer@example.com');
    await signUp(database, 'a2', 'payer+x@example.com');
    await signUp(database, 'a3', 'payer+y@example.com');
    await remove(database, 'a1', 'payer@example.com', -4_000_000);
    await remove(database, 'a2', 'payer+x@example.com', -1);
    await remove(database, 'a3', 'payer+y@example.com', -1);
    await signUp(database, 'a4', 'payer@example.com');
    expect(await balanceOf(database.db, 'a4')).toBe(-3_000_002);
    await signUp(database, 'a5', 'payer+x@example.com');
    expect(await balanceOf(database.db, 'a5')).toBe(0);
  });

  test('knows the addresses that were remembered before mailboxes were', async () => {
    const database = await open();
    await signUp(database, 'a1', 'payer+x@example.com');
    const address_mac = mac(new Uint8Array(32), 'payer+x@example.com');
    await database.db.updateTable('credited_addresses').set({ address_mac }).execute();
    await database.transaction(async (tx) => {
      await post(tx, { userId: 'a1', kind: 'charge', amount: -3_000_000, ref: 'c', at: 2 });
      await closeAccount(tx, 'a1', 3);
    });
    await signUp(database, 'a2', 'payer+x@example.com');
    expect(await balanceOf(database.db, 'a2')).toBe(-2_000_000);
    await signUp(database, 'a3', 'payer@example.com');
    expect(await balanceOf(database.db, 'a3')).toBe(0);
  });

  test('is given to one of several accounts of a mailbox that are created together', async () => {
    const database = await open();
    const ids = ['a1', 'a2', 'a3', 'a4'];
    await Promise.all(ids.map((id) => signUp(database, id, `payer+${id}@example.com`)));
    const balances = await Promise.all(ids.map((id) => balanceOf(database.db, id)));
    expect(balances.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 1_000_000]);
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
