import { GIB } from '../../contract/limits.ts';
import { toUsd } from '../../contract/money.ts';
import type { AdminLedgerWire, AdminOverviewWire, Page } from '../../contract/wire.ts';
import { type ListRange, toPage } from '../../platform/db/listing.ts';
import type { Locks } from '../../platform/locks/port.ts';
import { dayOf, readDay, type Usage } from '../usage/service.ts';
import { costsOf } from './charging/costs.ts';
import type { DailyCharging } from './charging/daily-charging.ts';
import { balanceAt, creditAt } from './charging/ongoing-balance.ts';
import { PriceClaim } from './charging/price-claim.ts';
import { inMicroUsd, type Prices, storedUntil } from './charging/pricing.ts';
import { BalanceWatch } from './dunning/balance-watch.ts';
import { Dunning, type DunningDeps } from './dunning/dunning.ts';
import { listEntries, sumCredit, sumOpenUse } from './ledger/ledger-overview-store.ts';
import type { SignupCredit } from './ledger/signup-credit.ts';
import { statementCsv } from './statements/statement-csv.ts';
import { chargesOfDay, listStatements, statementOf } from './statements/statements.ts';
import type { LedgerEntryRow } from './tables.ts';

export { AccountClosing } from './charging/account-closing.ts';
export { chargeRef } from './charging/charge-day.ts';
export { DailyCharging } from './charging/daily-charging.ts';
export { PricesInUseError } from './charging/price-claim.ts';
export { grantCredit } from './ledger/credit.ts';
export { type Posting, post } from './ledger/ledger.ts';
export { balanceOf, hasAddedCredit } from './ledger/ledger-store.ts';
export { SignupCredit } from './ledger/signup-credit.ts';

type BillingDeps = DunningDeps & {
  charges: DailyCharging;
  locks: Pick<Locks, 'tryTake' | 'tryShare'>;
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
  private readonly priceClaim: PriceClaim;
  private readonly dunning: Dunning;
  private readonly balanceWatch: BalanceWatch;

  constructor(deps: BillingDeps) {
    this.deps = deps;
    this.prices = inMicroUsd(deps.prices);
    this.priceClaim = new PriceClaim(deps.locks, this.prices);
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

  /** Returns a page of the entries of an account's ledger, newest first. */
  async ledger(userId: string, range: ListRange): Promise<Page<AdminLedgerWire>> {
    const rows = await listEntries(this.deps.database.db, userId, range);
    const numbered = rows.map((row) => ({ ...row, id: String(row.seq).padStart(26, '0') }));
    return toPage(numbered, range.limit, toEntryWire);
  }

  /**
   * Returns what all accounts have left in USD, and an estimate of what was used and is not charged yet: the
   * storage of today is that of what is stored now.
   * @param stored the bytes that all buckets store now
   */
  async outstanding(stored: number): Promise<AdminOverviewWire['credit']> {
    const { database, clock } = this.deps;
    const [credit, open] = await Promise.all([sumCredit(database.db), sumOpenUse(database.db)]);
    const now = clock();
    const unbilled =
      storedUntil(stored, now - dayOf(now), this.prices) +
      Math.round((open.bandwidth / GIB) * this.prices.bandwidth) +
      Math.round((open.uploaded / GIB) * this.prices.upload);
    return {
      outstanding: toUsd(credit.outstanding),
      paid: toUsd(credit.paid),
      unbilled: toUsd(unbilled),
    };
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

  /** Applies the current configuration. Throws PricesInUseError. */
  async start(): Promise<void> {
    const { database, signupCredit, clock } = this.deps;
    await signupCredit.openEarlierAccounts(database, clock());
    await this.holdPrices();
  }

  private holdPrices(): Promise<void> {
    return this.priceClaim.hold((requireUnused) => this.deps.charges.start(requireUnused));
  }

  /**
   * Charges the days that are over, then reviews the accounts that are due. All processes run it, and
   * share the accounts. It rejects between two transactions once the signal is aborted.
   */
  async round(signal?: AbortSignal): Promise<void> {
    await this.holdPrices();
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

/** Returns an entry of a ledger as the API shows it to the admin. */
function toEntryWire(row: LedgerEntryRow): AdminLedgerWire {
  const { payment = null }: { payment?: string | null } = row.detail ? JSON.parse(row.detail) : {};
  return {
    number: row.seq,
    kind: row.kind,
    amount: toUsd(row.amount),
    balance: toUsd(row.balance),
    paid: row.paid === null ? null : toUsd(row.paid),
    payment,
    date: new Date(row.created_at).toISOString(),
  };
}
