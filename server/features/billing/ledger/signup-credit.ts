import type { Database, Tx } from '../../../platform/db/port.ts';
import { type KeyRing, macs } from '../../../platform/secrets/secrets.ts';
import { lockAccount, post } from './ledger.ts';
import {
  type AddressOwner,
  claimAddress,
  mayLackAccounts,
  usersWithoutAccount,
} from './ledger-store.ts';

/**
 * The credit that a new account starts with. An address gets it once: whoever deletes an account and
 * signs up again with the same address gets none, and starts with the debt of the deleted account.
 */
export class SignupCredit {
  /**
   * @param deps.amount micro-USD, which may be 0
   * @param deps.keys of the MACs by which addresses are remembered, the current one first
   */
  constructor(private readonly deps: { amount: number; keys: KeyRing }) {}

  /** Opens the ledger of a new account, in the transaction that creates it. */
  async open(tx: Tx, user: AddressOwner, at: number): Promise<void> {
    // The ledger account is created even without credit: an account that has one gets none later.
    await lockAccount(tx, user.id);
    const earlierUserId = await this.claim(tx, user);
    if (earlierUserId) return inheritDebt(tx, earlierUserId, user.id, at);
    const { amount } = this.deps;
    if (amount === 0) return;
    await post(tx, { userId: user.id, kind: 'credit', amount, ref: `signup:${user.id}`, at });
  }

  /** Opens the ledgers of accounts from before there was one. */
  async openEarlierAccounts(database: Database, at: number): Promise<void> {
    if (!(await mayLackAccounts(database.db))) return;
    for (const user of await usersWithoutAccount(database.db)) {
      await database.transaction((tx) => this.open(tx, user, at));
    }
  }

  /** Remembers the address of an account, in the transaction that deletes it. */
  async remember(tx: Tx, user: AddressOwner): Promise<void> {
    await this.claim(tx, user);
  }

  private claim(tx: Tx, user: AddressOwner): Promise<string | null> {
    return claimAddress(tx, macs(this.deps.keys, user.email_key), user.id);
  }
}

/** An account that still exists keeps its debt, also if it has moved to another address. */
async function inheritDebt(tx: Tx, earlierUserId: string, userId: string, at: number) {
  const { balance, closed_at: closedAt } = await lockAccount(tx, earlierUserId);
  if (closedAt === null || balance >= 0) return;
  await post(tx, { userId, kind: 'debt', amount: balance, ref: `debt:${earlierUserId}`, at });
}
