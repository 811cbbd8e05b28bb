import { toUsd } from '../../contract/money.ts';
import { costsOf } from './charging/costs.ts';
import type { HourlyCharging } from './charging/hourly-charging.ts';
import { inMicroUsd, type Prices } from './charging/pricing.ts';
import { Dunning, type DunningDeps } from './dunning/dunning.ts';
import { creditEarlierAccounts } from './ledger/credit.ts';
import { balanceOf } from './ledger/ledger-store.ts';
import { listStatements, statementOf } from './statements/statements.ts';

export { HourlyCharging } from './charging/hourly-charging.ts';
export { grantCredit, grantSignupCredit as giveSignupCredit } from './ledger/credit.ts';
export { type Posting, post } from './ledger/ledger.ts';
export { balanceOf } from './ledger/ledger-store.ts';

type BillingDeps = DunningDeps & {
  charges: HourlyCharging;
  /** In USD. */
  prices: Prices;
  /** In micro-USD. */
  signupCredit: number;
};

/** Answers what accounts have and what they are charged, and acts on those that have nothing left. */
export class Billing {
  readonly #deps: BillingDeps;
  /** In micro-USD. */
  readonly #prices: Prices;
  readonly #dunning: Dunning;

  constructor(deps: BillingDeps) {
    this.#deps = deps;
    this.#prices = inMicroUsd(deps.prices);
    this.#dunning = new Dunning(deps);
  }

  /** Returns micro-USD. */
  balance(userId: string): Promise<number> {
    return balanceOf(this.#deps.database.db, userId);
  }

  /** Returns USD with up to 6 decimals. */
  async credit(userId: string) {
    return { credit: toUsd(await this.balance(userId)) };
  }

  /** Returns what this month has cost so far, and an estimate of what it will have cost at its end. */
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
   * Suspends an account's buckets or makes them run again, as its balance says. Code that posts to the
   * ledger calls it after the commit; otherwise the next round of the housekeeping does the same.
   */
  review(userId: string): Promise<void> {
    return this.#dunning.review(userId);
  }

  /** Applies the current configuration. `isOnlyProcess`: no other process works on this database. */
  async start({ isOnlyProcess }: { isOnlyProcess: boolean }): Promise<void> {
    const { database, signupCredit, clock, charges } = this.#deps;
    await creditEarlierAccounts(database, signupCredit, clock());
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
