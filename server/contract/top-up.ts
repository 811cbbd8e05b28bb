import { MICRO_USD } from './money.ts';

/** USD. */
export const TOP_UP_MIN = 5;
export const TOP_UP_MAX = 10_000;

export const TOP_UP_TEXTS = {
  least: 'The minimum top-up amount is $5.',
  most: 'The maximum top-up amount is $10,000.',
  spelling: 'Enter the amount in digits with at most two decimals, like 25 or 25.50.',
} as const;

/** No sign, exponent, blank, comma or digit of another script: what one reads 1,000 another reads 1. */
const SPELLING = /^[0-9]{1,12}(\.[0-9]{1,2})?$/;
const NEGATIVE = /^-[0-9]/;

/** The amount that was typed, in micro-USD; else why it can't be paid, for a person. */
export function parseTopUp(text: string): { amount: number } | { problem: string } {
  if (NEGATIVE.test(text)) return { problem: TOP_UP_TEXTS.least };
  if (!SPELLING.test(text)) return { problem: TOP_UP_TEXTS.spelling };
  const [whole = '', cents = ''] = text.split('.');
  const amount = Number(whole) * MICRO_USD + Number(cents.padEnd(2, '0')) * (MICRO_USD / 100);
  if (amount < TOP_UP_MIN * MICRO_USD) return { problem: TOP_UP_TEXTS.least };
  if (amount > TOP_UP_MAX * MICRO_USD) return { problem: TOP_UP_TEXTS.most };
  return { amount };
}
