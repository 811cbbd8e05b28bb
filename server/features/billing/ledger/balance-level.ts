import { MICRO_USD } from '../../../contract/money.ts';

/** From this balance on, in micro-USD, its owner should know. */
const LOW = MICRO_USD;

export const ENOUGH = 0;
export const IS_LOW = 1;
export const IS_EMPTY = 2;
export const IS_BELOW = 3;

/** How low a balance in micro-USD is; every step down is one that its owner is told of. */
export function levelOf(balance: number): number {
  if (balance > LOW) return ENOUGH;
  if (balance > 0) return IS_LOW;
  return balance === 0 ? IS_EMPTY : IS_BELOW;
}
