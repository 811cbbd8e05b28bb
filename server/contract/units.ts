import { KIB } from './limits.ts';

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** Bytes for people: 1024-based, two decimals, KiB the smallest unit. */
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

/** A number of some unit for people: two decimals, its thousands apart. */
export const formatFigure = (value: number): string => figure.format(value);

/** Cuts a name to what tables show, an ellipsis in the last place. */
export function truncate(text: string, most = 40): string {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join('')}…`;
}
