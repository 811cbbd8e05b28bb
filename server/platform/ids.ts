import { decodeTime, encodeTime, ulid } from 'ulid';

const byte = new Uint8Array(1);

/** Without this the library would look for a source of random numbers again for every id. */
const random = (): number => (crypto.getRandomValues(byte)[0] ?? 0) / 256;

/** Returns an id that sorts by time and holds 80 random bits (a ULID in lower case): 26 letters and digits. */
export function newId(now: number): string {
  return ulid(now, random).toLowerCase();
}

/**
 * Returns the lowest id of a moment (epoch milliseconds). Ids of that moment and later ones are not below
 * it.
 */
export function firstIdAt(at: number): string {
  return encodeTime(Math.max(0, at), 10).toLowerCase().padEnd(26, '0');
}

/**
 * Comes behind all ids, as their times begin with 7 at most. A database may have an order of its own for what is neither a
 * letter nor a digit.
 */
export const BEHIND_ALL_IDS = '8';

/** Returns when an id was made, in epoch milliseconds. Throws for a text that is no id. */
export function timeOf(id: string): number {
  return decodeTime(id);
}

const ID = /^[0-9a-hjkmnp-tv-z]{26}$/;

/** Whether a text from outside has the form of an id. */
export function isId(text: string): boolean {
  return ID.test(text);
}
