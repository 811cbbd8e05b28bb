import { encodeTime, ulid } from 'ulid';

/** An id that sorts by time and holds 80 random bits (ULID, lower case): 26 letters and digits. */
export function newId(now: number): string {
  return ulid(now).toLowerCase();
}

/** The least id of a moment, in epoch milliseconds: those of things made since are not below it. */
export function firstIdAt(at: number): string {
  return encodeTime(Math.max(0, at), 10).toLowerCase().padEnd(26, '0');
}

const ID = /^[0-9a-hjkmnp-tv-z]{26}$/;

/** Whether a text from outside has the shape of an id. */
export function isId(text: string): boolean {
  return ID.test(text);
}
