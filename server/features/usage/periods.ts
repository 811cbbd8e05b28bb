import { DAY, GIB, HOUR } from '../../contract/limits.ts';

/** Returns the start of the UTC hour of a moment, both in epoch milliseconds. */
export const hourOf = (at: number): number => at - (at % HOUR);
/** Returns the start of the UTC day of a moment, both in epoch milliseconds. */
export const dayOf = (at: number): number => at - (at % DAY);
/** Returns the start of the UTC month of a moment, both in epoch milliseconds. */
export const monthOf = (at: number): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
};

/** Returns a UTC day as '2026-11-21'. */
export const dayText = (day: number): string => new Date(day).toISOString().slice(0, 10);

/**
 * Bytes × milliseconds, as two columns: a PiB for an hour would exceed the largest safe integer.
 */
export type Stored = { stored_gib_ms: number; stored_byte_ms: number };

const GIB_BIG = BigInt(GIB);

/** Returns exactly how much it is to store `bytes`, which may be negative, for `ms`. */
export const storedFor = (bytes: number, ms: number): Stored => {
  const byteMs = BigInt(bytes) * BigInt(ms);
  return {
    stored_gib_ms: Number(byteMs / GIB_BIG),
    stored_byte_ms: Number(byteMs % GIB_BIG),
  };
};

/** Returns the two columns as bytes × milliseconds, exactly. */
export const byteMsOf = (stored: Stored): bigint =>
  BigInt(stored.stored_gib_ms) * GIB_BIG + BigInt(stored.stored_byte_ms);
