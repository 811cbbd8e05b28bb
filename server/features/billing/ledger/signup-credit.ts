import type { Database, Tx } from '../../../platform/db/port.ts';
import { hold, post } from './ledger.ts';
import { usersWithoutAccount } from './ledger-store.ts';

/** Gives a new account what it begins with, `amount` in micro-USD, once. */
export const giveSignupCredit =
  (amount: number) =>
  async (tx: Tx, userId: string, at: number): Promise<void> => {
    // The head is made in any case: who has one is not given anything later.
    await hold(tx, userId);
    if (amount === 0) return;
    await post(tx, { userId, kind: 'credit', amount, ref: `signup:${userId}`, at });
  };

/** Gives it to accounts that are older than the ledger. */
export async function creditEarlier(database: Database, amount: number, at: number): Promise<void> {
  const give = giveSignupCredit(amount);
  for (const id of await usersWithoutAccount(database.db)) {
    await database.transaction((tx) => give(tx, id, at));
  }
}
