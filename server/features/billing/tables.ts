import type { LedgerKind } from '../../contract/money.ts';

/**
 * An entry of the ledger. Amounts are in micro-USD. Entries never change, and outlive their
 * account.
 */
export type LedgerEntryRow = {
  user_id: string;
  /** The number of the entry in its account, from 1 without gaps. */
  seq: number;
  /** The amount, positive or negative but never 0. */
  amount: number;
  /** The balance of the account after this entry. */
  balance: number;
  /** The part of that balance that was paid; null of entries from before it was kept. */
  paid: number | null;
  kind: LedgerKind;
  /** Identifies what was posted, such as 'charge:{user}:{day}'; each ref is posted once. */
  ref: string;
  /** The bucket of a charge from when there was one for each bucket and hour. */
  bucket_id: string | null;
  /** Details as JSON. */
  detail: string | null;
  /** The time of the entry. The charge of a day has that day's last millisecond. */
  created_at: number;
};

/** The account of a ledger. Its lock ensures that entries are added one after another. */
export type LedgerAccountRow = {
  user_id: string;
  seq: number;
  balance: number;
  /** The part of the balance that was paid; the rest was granted. */
  paid: number;
  /** How low the ongoing balance was at the last review, by `levelOf` in ledger/ledger.ts. */
  level: number;
  /**
   * Since when the owner could have paid a negative balance; null where the account has none, or could never be
   * topped up since. It moves by the time in which payments were not enabled.
   */
  below_since: number | null;
  /** Since when payments have not been enabled, which stops the time of `below_since`; else null. */
  paused_at: number | null;
  /**
   * Until when the files of a suspended account are delivered; null where it is not suspended. All buckets of the
   * account have their status from it.
   */
  delivery_until: number | null;
  /** How many micro-USD below zero the account may be while its files are still delivered. */
  credit_limit: number;
  /** How many mails about the coming deletion have been sent, and the time of the deletion. */
  notices: number;
  delete_at: number | null;
  /** When to review the account; null where no review is needed until its balance changes. */
  review_at: number | null;
  /** When the account was deleted; nothing is charged after that. */
  closed_at: number | null;
  /**
   * The end of the first UTC day that is not charged yet; null where nothing is to be charged. An
   * account that starts to use something gets it before the end of the day's charges.
   */
  charge_at: number | null;
  /** What was charged in the UTC month that starts at `spend_month`, by which accounts are ordered. */
  spend_month: number;
  spend: number;
};

/** How far the dunning of an account is. */
export type DunningState = Pick<
  LedgerAccountRow,
  'level' | 'below_since' | 'paused_at' | 'delivery_until' | 'notices' | 'delete_at' | 'review_at'
>;

/** The sum of the entries of one kind in a UTC month. `month` is the start of the month. */
export type LedgerMonthRow = {
  user_id: string;
  month: number;
  kind: LedgerKind;
  amount: number;
  entries: number;
};

/** How far a bucket has been charged. The row outlives the bucket. */
export type BilledBucketRow = {
  bucket_id: string;
  user_id: string;
  /** The name of the bucket when it was deleted; null before. */
  name: string | null;
  /** What the bucket stores from this time on is still to be charged. */
  charged_until: number;
  /** The fractions of a micro-USD that are still to be charged; see charging/pricing.ts. */
  carry: string;
  /** The bytes that the bucket stored at `charged_until`. */
  stored: number;
};

/** The part of a bucket in the charge of an account for a UTC day, in micro-USD. */
export type ChargeDayRow = {
  user_id: string;
  day: number;
  bucket_id: string;
  storage: number;
  bandwidth: number;
  upload: number;
};

/** The costs of a bucket in a UTC month, in micro-USD. */
export type ChargeMonthRow = {
  user_id: string;
  month: number;
  bucket_id: string;
  storage: number;
  bandwidth: number;
  upload: number;
};

/**
 * The prices from an hour on, in micro-USD: storage per GiB for 30 days, bandwidth and uploads per
 * GiB.
 */
export type PriceRow = { hour: number; storage: number; bandwidth: number; upload: number };

/**
 * An address that had an account. `address_mac` is its MAC, because the address of a deleted account
 * is not kept; `user_id` is the last account with it.
 */
export type CreditedAddressRow = { address_mac: string; user_id: string };

declare module '../../platform/db/tables.ts' {
  /** The tables of the ledger and of what is charged, by their names. */
  interface Tables {
    ledger_entries: LedgerEntryRow;
    ledger_accounts: LedgerAccountRow;
    ledger_months: LedgerMonthRow;
    credited_addresses: CreditedAddressRow;
    billed_buckets: BilledBucketRow;
    charge_days: ChargeDayRow;
    charge_months: ChargeMonthRow;
    prices: PriceRow;
  }
}
