import { raised } from './raised.ts';

/** Which objects are listed. */
export type ObjectRange = {
  prefix: string;
  /** What divides a key into a common prefix and the rest; '' for nothing. */
  delimiter: string;
  /** Keys and common prefixes up to this one are not listed; '' for none. */
  after: string;
  limit: number;
};

/** Returns the text behind a path and before all other paths behind it, as no path has a control character. */
export const behind = (path: string) => `${path}\u0001`;

/** Whether an entry stands for all keys that begin with it. */
export const isCommonPrefix = (path: string, { prefix, delimiter }: ObjectRange): boolean =>
  path.indexOf(delimiter, prefix.length) === path.length - delimiter.length &&
  path.length >= prefix.length + delimiter.length;

/** Returns the least path that a list may begin with; null where none can be in it. */
export function startOf({ prefix, delimiter, after }: ObjectRange): string | null {
  // JavaScript compares texts by their UTF-16, in another order.
  if (Buffer.compare(Buffer.from(after), Buffer.from(prefix)) < 0) return prefix;
  if (after === '') return prefix;
  if (delimiter === '' || !after.startsWith(prefix)) return behind(after);
  const end = after.indexOf(delimiter, prefix.length);
  const isPrefix = end >= 0 && end === after.length - delimiter.length;
  return isPrefix ? raised(after) : behind(after);
}
