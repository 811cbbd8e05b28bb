import { KIB } from './limits.ts';

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** Returns bytes as text in units of 1024, with two decimals. The smallest unit is KiB. */
export function formatBytes(bytes: number): string {
  let value = bytes / KIB;
  let unit = 0;
  while (value >= KIB && unit < UNITS.length - 1) {
    value /= KIB;
    unit += 1;
  }
  return `${value.toFixed(2)} ${UNITS[unit]}`;
}

const figure = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** Returns a number as text with two decimals and commas between the thousands. */
export const formatFigure = (value: number): string => figure.format(value);

/**
 * Shortens a name to at most `maxLength` characters for a table; the last one is then an ellipsis.
 */
export function truncate(text: string, maxLength = 40): string {
  const letters = [...text];
  return letters.length <= maxLength ? text : `${letters.slice(0, maxLength - 1).join('')}…`;
}
