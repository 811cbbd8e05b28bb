import { PIXELS } from './svg-size.ts';

/** The attributes that take lengths or style declarations. `viewBox`, paths and transforms take none. */
const LENGTHS =
  /^(?:[xyr]|[xy][12]|d[xy]|[rcf][xy]|fr|width|height|style|font|font-size|stroke-(?:width|dasharray|dashoffset)|(?:letter|word)-spacing|baseline-shift|kerning|marker(?:Width|Height)|ref[XY]|textLength|startOffset)$/;
/** A length with an absolute unit, which is no part of a name or a reference. */
const ABSOLUTE =
  /(?<![\w.#-])([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(cm|mm|q|in|pt|pc)(?![\w%-])/gi;

/** Whether an attribute takes lengths. */
export const hasLengths = (attribute: string): boolean => LENGTHS.test(attribute);

/**
 * Returns the text of an attribute or a style sheet with its absolute lengths in pixels, of which an inch has
 * 96 in browsers. librsvg has as many as the resolution in which it draws, so that shapes in centimetres
 * would differ from those in pixels, and by another factor in each size.
 */
export const withPixels = (text: string): string =>
  text.replace(
    ABSOLUTE,
    (_, value, unit) => `${Number(value) * (PIXELS[unit.toLowerCase()] ?? 1)}px`,
  );
