import { toUsd } from '../../contract/money.ts';
import { costsOf } from './charging/costs.ts';
import type { HourlyCharging } from './charging/hourly-charging.ts';
import { inMicroUsd, type Prices } from './charging/pricing.ts';
import { Dunning, type DunningDeps } from './dunning/dunning.ts';
import { balanceOf } from './ledger/ledger-store.ts';
import type { SignupCredit } from './ledger/signup-credit.ts';
import { listStatements, statementOf } from './statements/statements.ts';

export { HourlyCharging } from './charging/hourly-charging.ts';
export { grantCredit } from './ledger/credit.ts';
export { type Posting, post } from './ledger/ledger.ts';
export { balanceOf, hasAddedCredit } from './ledger/ledger-store.ts';
export { SignupCredit } from './ledger/signup-credit.ts';

type BillingDeps = DunningDeps & {
  charges: HourlyCharging;
  /** The prices of the configuration, in USD. */
  prices: Prices;
  /** The credit of a new account, in micro-USD. */
  signupCredit: SignupCredit;
};

/**
 * The balances, costs and statements of accounts, and the dunning of those whose balance runs out.
 */
export class Billing {
  readonly #deps: BillingDeps;
  /** The current prices in micro-USD. */
  readonly #prices: Prices;
  readonly #dunning: Dunning;

  constructor(deps: BillingDeps) {
    this.#deps = deps;
    this.#prices = inMicroUsd(deps.prices);
    this.#dunning = new Dunning(deps);
  }

  /** Returns the balance of an account in micro-USD. */
  balance(userId: string): Promise<number> {
    return balanceOf(this.#deps.database.db, userId);
  }

  /** Returns the balance of an account in USD, with up to 6 decimals. */
  async credit(userId: string) {
    return { credit: toUsd(await this.balance(userId)) };
  }

  /** Returns what this month has cost so far, and an estimate for the whole month. */
  costs(userId: string) {
    return costsOf(this.#deps.database.db, userId, this.#deps.clock(), this.#prices);
  }

  /** Returns the statements of all months, newest first. */
  statements(userId: string) {
    return listStatements(this.#deps.database.db, userId);
  }

  /** Returns the statement of a month such as '2026-11'. Throws not-found. */
  statement(userId: string, month: string) {
    return statementOf(this.#deps.database.db, userId, month);
  }

  /**
   * Suspends an account's buckets or resumes them, depending on its balance. Code that posts to the
   * ledger calls it after the commit; otherwise the next round of the housekeeping does the same.
   */
  review(userId: string): Promise<void> {
    return this.#dunning.review(userId);
  }

  /**
   * Applies the current configuration. `isOnlyProcess` says that no other process uses this
   * database.
   */
  async start({ isOnlyProcess }: { isOnlyProcess: boolean }): Promise<void> {
    const { database, signupCredit, clock, charges } = this.#deps;
    await signupCredit.openEarlierAccounts(database, clock());
    await charges.start({ isOnlyProcess });
    await this.#dunning.start();
  }

  /** Charges what is due, then reviews the accounts that are due. */
  async round(): Promise<void> {
    try {
      await this.#deps.charges.round();
    } finally {
      await this.#dunning.round();
    }
  }
}
