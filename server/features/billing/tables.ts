import type { LedgerKind } from '../../contract/money.ts';

/** Money is micro-USD. Rows of the ledger are never changed, and outlive their account. */
export type LedgerEntryRow = {
  user_id: string;
  /** Of this account, from 1 without gaps. */
  seq: number;
  /** Signed; never 0. */
  amount: number;
  /** Of the account, after this entry. */
  balance: number;
  kind: LedgerKind;
  /** What this entry is about, in words of a program; each is posted once. */
  ref: string;
  bucket_id: string | null;
  /** JSON. */
  detail: string | null;
  /** To which moment it counts: an hour's charge to that hour's last millisecond. */
  created_at: number;
};

/** The head of an account's ledger; its lock makes entries come one after another. */
export type LedgerAccountRow = {
  user_id: string;
  seq: number;
  balance: number;
  /** How low the balance was when it was looked at last; see ledger/balance-level.ts. */
  level: number;
  /** Since when it has been below zero with a way to pay; null while nothing is suspended. */
  below_since: number | null;
  /** How many mails about the coming deletion have been sent, and when that will be. */
  notices: number;
  delete_at: number | null;
  /** When to look at it again; null: not before its balance has changed. */
  review_at: number | null;
  /** When the account was deleted: nothing is charged any more. */
  closed_at: number | null;
};

/** What the entries of a kind come to in a UTC month; `month` is its start. */
export type LedgerMonthRow = {
  user_id: string;
  month: number;
  kind: LedgerKind;
  amount: number;
  entries: number;
};

/** How far a bucket has been charged. Outlives it. */
export type BilledBucketRow = {
  bucket_id: string;
  user_id: string;
  /** Its name when it was deleted; null before. */
  name: string | null;
  /** Every hour that begins before this is charged. */
  charged_until: number;
  /** Fractions of a micro-USD that are still owed; see charging/pricing.ts. */
  carry: string;
};

/** What a bucket cost in a UTC month, in micro-USD. */
export type ChargeMonthRow = {
  user_id: string;
  month: number;
  bucket_id: string;
  storage: number;
  bandwidth: number;
  upload: number;
};

/** One row: up to which hour every bucket is charged, and until when somebody is at it. */
export type ChargingRow = { id: 1; charged_until: number; lease_until: number };

/** Micro-USD per GiB for 30 days, per GiB, per GiB, from an hour on. */
export type PriceRow = { hour: number; storage: number; bandwidth: number; upload: number };

/** The tables of the ledger and of what is charged, by their names. */
export type BillingTables = {
  ledger_entries: LedgerEntryRow;
  ledger_accounts: LedgerAccountRow;
  ledger_months: LedgerMonthRow;
  billed_buckets: BilledBucketRow;
  charge_months: ChargeMonthRow;
  charging: ChargingRow;
  prices: PriceRow;
};
