import { behindPath } from '../paths/bounds.ts';
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

/** Whether an entry stands for all keys that begin with it. */
export const isCommonPrefix = (path: string, { prefix, delimiter }: ObjectRange): boolean =>
  path.indexOf(delimiter, prefix.length) === path.length - delimiter.length &&
  path.length >= prefix.length + delimiter.length;

/** Returns the least path that a list may begin with; null where none can be in it. */
export function startOf({ prefix, delimiter, after }: ObjectRange): string | null {
  // JavaScript compares texts by their UTF-16, in another order.
  if (Buffer.compare(Buffer.from(after), Buffer.from(prefix)) < 0) return prefix;
  if (after === '') return prefix;
  if (delimiter === '' || !after.startsWith(prefix)) return behindPath(after);
  const end = after.indexOf(delimiter, prefix.length);
  const isPrefix = end >= 0 && end === after.length - delimiter.length;
  return isPrefix ? raised(after) : behindPath(after);
}
