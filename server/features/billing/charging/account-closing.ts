import { DAY, HOUR } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import { inSlices } from '../../../platform/slices.ts';
import { dayOf, hourOf } from '../../usage/service.ts';
import { lockAccount, post } from '../ledger/ledger.ts';
import { entryByRef } from '../ledger/ledger-store.ts';
import { chargeDay, chargeRef } from './charge-day.ts';
import * as store from './charges-store.ts';

const MAX_ROWS = Number.MAX_SAFE_INTEGER;

/** Charges accounts that are being deleted for the last time, and closes them. */
export class AccountClosing {
  constructor(private readonly deps: { database: Database; clock: Clock }) {}

  /**
   * Charges an account whose buckets are gone up to now, some buckets in each transaction, and forgets
   * their names, so that little is left for `close`. An interrupted call can be repeated.
   */
  async settle(userId: string, signal: AbortSignal): Promise<void> {
    const { database } = this.deps;
    do signal.throwIfAborted();
    while (!(await database.transaction((tx) => this.chargeSome(tx, userId))));
    await inSlices((limit) => store.forgetNames(database.db, userId, limit), signal);
  }

  /**
   * Closes an account whose buckets are gone, in the transaction that removes it: it is charged up to
   * now, the rest of its balance is forfeited, and nothing is charged to it any more.
   */
  async close(tx: Tx, userId: string): Promise<void> {
    while (!(await this.chargeSome(tx, userId)));
    const { closed_at, balance } = await lockAccount(tx, userId);
    if (closed_at !== null) return;
    const at = this.deps.clock();
    const ref = `forfeit:${userId}`;
    if (balance > 0) await post(tx, { userId, kind: 'forfeit', amount: -balance, ref, at });
    await store.closeAccount(tx, userId, at);
    await store.forgetNames(tx, userId, MAX_ROWS);
  }

  /** Charges some buckets of an account. Returns whether all are charged up to now. */
  private async chargeSome(tx: Tx, userId: string): Promise<boolean> {
    const { database, clock } = this.deps;
    const now = clock();
    const account = await lockAccount(tx, userId);
    if (account.closed_at !== null) return true;
    const { charge_at: chargeAt } = account;
    const isEarlierDay = chargeAt !== null && chargeAt <= dayOf(now);
    const day = isEarlierDay ? chargeAt - DAY : await openDay(tx, userId, now);
    const end = isEarlierDay ? chargeAt : hourOf(now) + HOUR;
    const charge = { day, end, at: Math.min(end - 1, now), next: day + 2 * DAY };
    const { isComplete } = await chargeDay(database, tx, [account], charge);
    return isComplete && !isEarlierDay;
  }
}

/** Returns the day to which the last charge belongs: one has to be posted, or else today. */
async function openDay(tx: Tx, userId: string, now: number): Promise<number> {
  const last = await store.lastChargedDay(tx, userId);
  if (last === null) return dayOf(now);
  // A day of which only some buckets are charged has no entry yet.
  if (!(await entryByRef(tx, chargeRef(userId, last)))) return last;
  // The clock may have been set back to a day that is charged already.
  return Math.max(dayOf(now), last + DAY);
}
