import { MICRO_USD } from '../../../contract/money.ts';

/** The owner is told when the balance, in micro-USD, is this or less. */
const LOW_BALANCE = MICRO_USD;

const ENOUGH = 0;
export const IS_LOW = 1;
export const IS_EMPTY = 2;
const IS_BELOW = 3;
/** Below the credit limit: nothing is delivered. */
export const IS_OVERDRAWN = 4;

/**
 * Returns how low a balance is. The owner is told of every step down.
 * @param balance micro-USD
 * @param creditLimit how many micro-USD below zero the account is still delivered
 */
export function levelOf(balance: number, creditLimit: number): number {
  if (balance > LOW_BALANCE) return ENOUGH;
  if (balance > 0) return IS_LOW;
  if (balance === 0) return IS_EMPTY;
  return balance >= -creditLimit ? IS_BELOW : IS_OVERDRAWN;
}

/** Returns the balance at which the next lower level begins, in micro-USD; null at the lowest. */
export function nextLevelAt(balance: number, creditLimit: number): number | null {
  if (balance > LOW_BALANCE) return LOW_BALANCE;
  if (balance > 0) return 0;
  if (balance === 0) return -1;
  return balance >= -creditLimit ? -creditLimit - 1 : null;
}
