import { memoize } from './memoize.ts';
import { formatFigure } from './units.ts';

/** Money is kept in whole millionths of a US dollar. */
export const MICRO_USD = 1_000_000;
export const MICRO_PER_CENT = 10_000;

/**
 * The reasons for which a balance changes. An entry of the kind `charge`, `refund`, `dispute`,
 * `forfeit` or `debt` has a negative amount, a `grant` either sign, and every other entry a positive
 * one.
 */
export const LEDGER_KINDS = [
  // The credit that a new account starts with.
  'credit',
  // The charge of an account for a day. Before daily charges, that of a bucket for an hour.
  'charge',
  'payment',
  // A refund by the operator, a dispute by the payer's bank, and the reversal of a dispute that was
  // won.
  'refund',
  'dispute',
  'reversal',
  // Credit that an admin grants, or deducts with a negative amount.
  'grant',
  // The balance that a deleted account had left.
  'forfeit',
  // The negative balance of a deleted account with the same address.
  'debt',
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** The kinds of ledger entries, as statements and the admin's pages name them. */
export const LEDGER_KIND_NAMES: Record<LedgerKind, string> = {
  credit: 'Credit',
  charge: 'Charge',
  payment: 'Payment',
  refund: 'Refund',
  dispute: 'Dispute',
  reversal: 'Dispute won',
  grant: 'Grant',
  forfeit: 'Forfeit',
  debt: 'Balance of a deleted account',
};

/** Returns dollars in micro-USD. The result is exact for a decimal of at most 12 digits. */
export const toMicroUsd = (usd: number): number => Math.round(usd * MICRO_USD);

/** Whether an amount in dollars has at most two decimals. */
export const isInCents = (usd: number): boolean => /^-?\d+(\.\d{1,2})?$/.test(String(usd));

/** Returns micro-USD as dollars with up to 6 decimals. */
export const toUsd = (microUsd: number): number => microUsd / MICRO_USD;

/** Returns dollars rounded down to cents. A sum of amounts in cents, which may be a fraction off, keeps its last cent. */
export const floorToCents = (usd: number): number =>
  Math.floor(toMicroUsd(usd) / MICRO_PER_CENT) / 100;

/**
 * Returns dollars as text with 2 decimals and commas between the thousands. The amount is rounded down, so
 * that nobody sees more than the account has: a balance that is less than a cent below zero is shown as
 * -$0.01.
 */
export function formatBalance(usd: number): string {
  const floored = floorToCents(usd);
  return `${floored < 0 ? '-' : ''}$${formatFigure(Math.abs(floored))}`;
}

const exact = memoize(
  () => new Intl.NumberFormat('en-US', { minimumFractionDigits: 6, maximumFractionDigits: 6 }),
);

/**
 * Returns dollars as text with the digits that make sums true: 2 decimals for whole cents, and all 6 for any
 * other amount.
 */
export function formatAmount(usd: number): string {
  const microUsd = toMicroUsd(Math.abs(usd));
  const isWholeCents = microUsd % MICRO_PER_CENT === 0;
  const digits = (isWholeCents ? formatFigure : exact().format)(toUsd(microUsd));
  return `${usd < 0 && microUsd > 0 ? '-' : ''}$${digits}`;
}

/** The limits of one payment, in USD. */
const TOP_UP_MIN = 5;
export const TOP_UP_MAX = 10_000;
/** The most that one payment credits, in micro-USD. */
export const MAX_TOP_UP = TOP_UP_MAX * MICRO_USD;

export const TOP_UP_TEXTS = {
  least: 'The minimum top-up amount is $5.',
  most: 'The maximum top-up amount is $10,000.',
  spelling: 'Enter the amount in digits with at most two decimals, like 25 or 25.50.',
} as const;

/** The pattern allows no sign, exponent, blank or comma, as some countries read 1,000 as 1. */
const SPELLING = /^[0-9]{1,12}(\.[0-9]{1,2})?$/;
const NEGATIVE = /^-[0-9]/;

/**
 * Returns the amount that somebody typed, in micro-USD, or a sentence that says why it can't be
 * paid.
 */
export function parseTopUp(text: string): { amount: number } | { problem: string } {
  if (NEGATIVE.test(text)) return { problem: TOP_UP_TEXTS.least };
  if (!SPELLING.test(text)) return { problem: TOP_UP_TEXTS.spelling };
  const [whole = '', cents = ''] = text.split('.');
  const amount = Number(whole) * MICRO_USD + Number(cents.padEnd(2, '0')) * (MICRO_USD / 100);
  if (amount < TOP_UP_MIN * MICRO_USD) return { problem: TOP_UP_TEXTS.least };
  if (amount > MAX_TOP_UP) return { problem: TOP_UP_TEXTS.most };
  return { amount };
}

/** The most credit that one grant can give, in USD. */
export const GRANT_MAX = 10_000;
/** How long the reason of a refund can be. */
export const REFUND_REASON_MAX = 200;
