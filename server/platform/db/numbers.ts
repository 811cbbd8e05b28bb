/** A truth value as both engines store it. */
export type SqlBoolean = 0 | 1;

/**
 * A BIGINT as a number. Both engines hand out 64-bit integers in forms that JSON and
 * arithmetic can't take; past 2^53 a number would be wrong, so that throws instead.
 */
export function toNumber(value: bigint | string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} does not fit a number`);
  return number;
}
