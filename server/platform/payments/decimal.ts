import { toUsd } from '../../contract/money.ts';

const DECIMAL = /^(\d{1,12})(?:\.(\d{1,18}))?$/;
const SCALE = 18;
const MICRO_DIGITS = 6;

/** A decimal of a provider in 10^-18; null where it is none. */
function exact(text: unknown): bigint | null {
  const match = DECIMAL.exec(String(text));
  if (!match) return null;
  return BigInt(`${match[1]}${(match[2] ?? '').padEnd(SCALE, '0')}`);
}

const MICRO = 10n ** BigInt(SCALE - MICRO_DIGITS);
/** A billion dollars. What a provider says beyond it is as wrong, and could not be read back. */
const MOST = 10n ** 15n;
const bounded = (micro: bigint) => Number(micro > MOST ? MOST : micro);

/** Micro-USD of a decimal such as '15.00', what is finer cut off; null where it is none. */
export function microOf(text: unknown): number | null {
  const value = exact(text);
  return value === null ? null : bounded(value / MICRO);
}

/** `amount` × `part` / `whole`, rounded down; null where these are no decimals, or `whole` is 0. */
export function share(amount: number, part: unknown, whole: unknown): number | null {
  const [paid, due] = [exact(part), exact(whole)];
  if (paid === null || due === null || due === 0n) return null;
  return bounded((BigInt(amount) * paid) / due);
}

/** Micro-USD as dollars with two decimals, which is all that a top-up has. */
export const dollars = (micro: number): string => toUsd(micro).toFixed(2);
