import { DAY, GIB, HOUR } from '../../contract/limits.ts';

/** Starts of the UTC hour, day and month of a moment; all epoch milliseconds. */
export const hourOf = (at: number): number => at - (at % HOUR);
export const dayOf = (at: number): number => at - (at % DAY);
export const monthOf = (at: number): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
};

export const dayText = (day: number): string => new Date(day).toISOString().slice(0, 10);

/** Bytes × milliseconds, as two columns: a PiB for an hour in one would leave what a number can hold. */
export type Stored = { stored_gib_ms: number; stored_byte_ms: number };

const GIB_BIG = BigInt(GIB);

/** Exactly what `bytes` are when they are stored for `ms`. */
const storedFor = (bytes: number, ms: number): Stored => {
  const byteMs = BigInt(bytes) * BigInt(ms);
  return {
    stored_gib_ms: Number(byteMs / GIB_BIG),
    stored_byte_ms: Number(byteMs % GIB_BIG),
  };
};

/** Bytes × milliseconds, exactly. */
export const byteMsOf = (stored: Stored): bigint =>
  BigInt(stored.stored_gib_ms) * GIB_BIG + BigInt(stored.stored_byte_ms);

/** What `bytes` stored from one moment to another are in each hour in between. */
export function storedByHour(
  bytes: number,
  from: number,
  to: number,
): ({ hour: number } & Stored)[] {
  const pieces = [];
  for (let at = from; bytes > 0 && at < to; ) {
    const end = Math.min(to, hourOf(at) + HOUR);
    pieces.push({ hour: hourOf(at), ...storedFor(bytes, end - at) });
    at = end;
  }
  return pieces;
}
