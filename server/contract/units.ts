import { KIB } from './limits.ts';
import { memoize } from './memoize.ts';

const figure = memoize(
  () => new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
);

/** Returns a number as text with two decimals and commas between the thousands. */
export const formatFigure = (value: number): string => figure().format(value);

/** Returns a whole number as text with commas between the thousands. Texts of the start have some, so it needs no Intl. */
export const formatCount = (value: number): string =>
  value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',');

/** Returns how many there are of something, such as '1 file' or '12,345 files'. */
export const count = (number: number, noun: string): string =>
  `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`;

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** Returns bytes as text in units of 1024, with two decimals. The smallest unit is KiB. */
export function formatBytes(bytes: number): string {
  let value = bytes / KIB;
  let unit = 0;
  while (value >= KIB && unit < UNITS.length - 1) {
    value /= KIB;
    unit += 1;
  }
  return `${formatFigure(value)} ${UNITS[unit]}`;
}

/**
 * Shortens a name to at most `maxLength` characters for a table; the last one is then an ellipsis.
 */
export function truncate(text: string, maxLength = 40): string {
  const letters = [...text];
  return letters.length <= maxLength ? text : `${letters.slice(0, maxLength - 1).join('')}…`;
}
