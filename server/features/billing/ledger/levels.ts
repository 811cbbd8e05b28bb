import { MICRO_USD } from '../../../contract/money.ts';

/** The owner is told when the balance, in micro-USD, is this or less. */
const LOW_BALANCE = MICRO_USD;

const ENOUGH = 0;
export const IS_LOW = 1;
export const IS_EMPTY = 2;
const IS_BELOW = 3;

/** Returns how low a balance in micro-USD is. The owner is told of every step down. */
export function levelOf(balance: number): number {
  if (balance > LOW_BALANCE) return ENOUGH;
  if (balance > 0) return IS_LOW;
  return balance === 0 ? IS_EMPTY : IS_BELOW;
}

/** Returns the balance at which the next lower level begins, in micro-USD; null at the lowest. */
export function nextLevelAt(balance: number): number | null {
  if (balance > LOW_BALANCE) return LOW_BALANCE;
  if (balance > 0) return 0;
  return balance === 0 ? -1 : null;
}
