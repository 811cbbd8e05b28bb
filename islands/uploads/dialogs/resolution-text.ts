import { parseSize } from '../../../server/contract/resolutions.ts';

/** The sizes a text holds, in its order, each once. */
export const sizesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
];

/** The text with one size put in, or taken out when it was there. */
export function toggleSize(text: string, size: string): string {
  const sizes = sizesIn(text);
  const others = sizes.filter((one) => one !== size);
  return (others.length < sizes.length ? others : [...sizes, size]).join(', ');
}

/** Whether every part of the text is a size. */
export const areSizes = (text: string) => sizesIn(text).every((size) => parseSize(size) !== null);
