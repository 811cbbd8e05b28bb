import type { Database, Tx } from '../../../platform/db/port.ts';
import { mailboxKey } from '../../../platform/mail/mailbox.ts';
import { type KeyRing, macs } from '../../../platform/secrets/secrets.ts';
import { lockAccount, post } from './ledger.ts';
import {
  type AddressOwner,
  claimMailbox,
  findLeftDebts,
  mayLackAccounts,
  usersWithoutAccount,
} from './ledger-store.ts';

/**
 * The credit that a new account starts with. A mailbox gets it once, by whichever of its addresses: whoever
 * signs up again gets none, and starts with the debts of deleted accounts.
 */
export class SignupCredit {
  /**
   * @param deps.amount micro-USD, which may be 0
   * @param deps.keys of the MACs by which mailboxes are remembered, the current one first
   */
  constructor(private readonly deps: { amount: number; keys: KeyRing }) {}

  /** Opens the ledger of a new account, in the transaction that creates it. */
  async open(tx: Tx, user: AddressOwner, at: number): Promise<void> {
    // The ledger account is created even without credit: an account that has one gets none later.
    await lockAccount(tx, user.id);
    const earlierUserIds = await this.claim(tx, user);
    if (earlierUserIds.length > 0) return inheritDebts(tx, earlierUserIds, user.id, at);
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

  /**
   * Remembers the mailbox of an account, in the transaction that deletes it, after its ledger is closed. A
   * debt that an earlier account of the mailbox left is moved to this one, where the next sign-up finds it.
   */
  async remember(tx: Tx, user: AddressOwner, at: number): Promise<void> {
    await inheritDebts(tx, await this.claim(tx, user), user.id, at);
  }

  /**
   * Accounts from before mailboxes were remembered are found by the MAC of their address, which is that
   * of the mailbox where the address has no tag.
   */
  private claim(tx: Tx, { id, email_key: key }: AddressOwner): Promise<string[]> {
    const { keys } = this.deps;
    const mailbox = mailboxKey(key);
    const earlier = mailbox === key ? [] : macs(keys, key);
    return claimMailbox(tx, [...macs(keys, mailbox), ...earlier], id);
  }
}

/**
 * Moves debts to another account, each once. An account that still exists keeps its debt, also if it has
 * moved to another address.
 */
async function inheritDebts(tx: Tx, earlierUserIds: string[], userId: string, at: number) {
  for (const earlierUserId of await findLeftDebts(tx, earlierUserIds)) {
    const { balance: amount } = await lockAccount(tx, earlierUserId);
    await post(tx, { userId, kind: 'debt', amount, ref: `debt:${earlierUserId}`, at });
  }
}
