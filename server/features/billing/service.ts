import { toUsd } from '../../contract/money.ts';
import { readDay, type Usage } from '../usage/service.ts';
import { costsOf } from './charging/costs.ts';
import type { DailyCharging } from './charging/daily-charging.ts';
import { balanceAt, creditAt } from './charging/ongoing-balance.ts';
import { inMicroUsd, type Prices } from './charging/pricing.ts';
import { BalanceWatch } from './dunning/balance-watch.ts';
import { Dunning, type DunningDeps } from './dunning/dunning.ts';
import type { SignupCredit } from './ledger/signup-credit.ts';
import { statementCsv } from './statements/statement-csv.ts';
import { chargesOfDay, listStatements, statementOf } from './statements/statements.ts';

export { AccountClosing } from './charging/account-closing.ts';
export { chargeRef } from './charging/charge-day.ts';
export { DailyCharging } from './charging/daily-charging.ts';
export { grantCredit } from './ledger/credit.ts';
export { type Posting, post } from './ledger/ledger.ts';
export { balanceOf, hasAddedCredit } from './ledger/ledger-store.ts';
export { SignupCredit } from './ledger/signup-credit.ts';

type BillingDeps = DunningDeps & {
  charges: DailyCharging;
  usage: Pick<Usage, 'takeActiveAccounts'>;
  /** The prices of the configuration, in USD. */
  prices: Prices;
  /** The credit of a new account, in micro-USD. */
  signupCredit: SignupCredit;
};

/**
 * The balances, costs and statements of accounts, and the dunning of those whose balance runs out.
 */
export class Billing {
  private readonly deps: BillingDeps;
  /** The current prices in micro-USD. */
  private readonly prices: Prices;
  private readonly dunning: Dunning;
  private readonly balanceWatch: BalanceWatch;

  constructor(deps: BillingDeps) {
    this.deps = deps;
    this.prices = inMicroUsd(deps.prices);
    this.dunning = new Dunning(deps);
    this.balanceWatch = new BalanceWatch({ ...deps, review: (userId) => this.review(userId) });
  }

  /** Returns the balance of an account in micro-USD, less what it has used since its last charge. */
  balance(userId: string): Promise<number> {
    return balanceAt(this.deps.database.db, userId, this.deps.clock());
  }

  /** Returns the balance of an account in USD, and the part of it that was paid, with up to 6 decimals. */
  async credit(userId: string) {
    const { database, clock } = this.deps;
    const { balance, paid } = await creditAt(database.db, userId, clock());
    return { credit: toUsd(balance), paid: toUsd(paid) };
  }

  /** Returns what this month has cost so far, and an estimate for the whole month. */
  costs(userId: string) {
    return costsOf(this.deps.database.db, userId, this.deps.clock(), this.prices);
  }

  /** Returns the statements of all months, newest first. */
  statements(userId: string) {
    return listStatements(this.deps.database.db, userId, this.deps.clock());
  }

  /**
   * Returns a page of what the buckets of an account were charged on a day such as '2026-11-21'. Throws
   * invalid.
   */
  async chargesOfDay(userId: string, day: string, { cursor }: { cursor?: string }) {
    return chargesOfDay(this.deps.database.db, userId, { day: readDay('day', day), cursor });
  }

  /** Returns the statement of a month such as '2026-11' as CSV, in parts. Throws not-found. */
  statementCsv(userId: string, month: string) {
    return statementCsv(this.deps.database.db, userId, month, this.deps.clock());
  }

  /** Returns the statement of a month such as '2026-11'. Throws not-found. */
  statement(userId: string, month: string) {
    return statementOf(this.deps.database.db, userId, month, this.deps.clock());
  }

  /**
   * Suspends an account's buckets or resumes them, depending on its balance. Code that posts to the
   * ledger calls it after the commit; otherwise the next round of the housekeeping does the same.
   */
  review(userId: string): Promise<void> {
    return this.dunning.review(userId);
  }

  /** Applies the current configuration. */
  async start(): Promise<void> {
    const { database, signupCredit, clock, charges } = this.deps;
    await signupCredit.openEarlierAccounts(database, clock());
    await charges.start();
  }

  /**
   * Charges the days that are over, then reviews the accounts that are due. All processes run it, and
   * share the accounts. It rejects between two transactions once the signal is aborted.
   */
  async round(signal?: AbortSignal): Promise<void> {
    try {
      await this.deps.charges.round(signal);
    } finally {
      await this.dunning.round(signal);
    }
  }

  /** Reviews the accounts that reach another level by the usage that this process has counted. */
  watch(signal?: AbortSignal): Promise<void> {
    return this.balanceWatch.watch(signal);
  }

  /** Does the same for all accounts, also of a process that was killed. One process need run it. */
  sweep(signal?: AbortSignal): Promise<void> {
    return this.balanceWatch.sweep(signal);
  }
}
