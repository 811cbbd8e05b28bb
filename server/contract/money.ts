/** Money is kept in whole millionths of a US dollar. */
export const MICRO_USD = 1_000_000;

/** Why a balance changed. What an entry of a kind adds is positive but for `charge`, `refund`, `dispute` and `forfeit`. */
export const LEDGER_KINDS = [
  // What a new account is given.
  'credit',
  // For an hour of one bucket.
  'charge',
  'payment',
  // A payment given back, or taken back by the payer's bank; and a dispute that was won.
  'refund',
  'dispute',
  'reversal',
  // By an admin; may be negative.
  'grant',
  // What was left of a deleted account.
  'forfeit',
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** A decimal of at most 12 digits, as configuration has it, in micro-USD: exact. */
export const toMicroUsd = (usd: number): number => Math.round(usd * MICRO_USD);

/** Micro-USD as a number of dollars with up to 6 decimals. */
export const toUsd = (microUsd: number): number => microUsd / MICRO_USD;

/**
 * Dollars as they are shown: floored to 2 decimals, so that nobody sees more than there is. What is
 * less than a cent below zero is -$0.01.
 */
export function formatBalance(usd: number): string {
  const cents = Math.floor(toMicroUsd(usd) / 10_000);
  return `${cents < 0 ? '-' : ''}$${(Math.abs(cents) / 100).toFixed(2)}`;
}
