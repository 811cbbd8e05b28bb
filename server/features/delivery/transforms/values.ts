import { DERIVED_SIDE_MAX, type Gravity, type Rgba } from '../../../contract/transforms.ts';
import { badRequest } from '../../../errors.ts';

/* The parsers of single values of a query. Each throws bad-transform with a sentence for a person. */

const wrong = (text: string) => badRequest(text, 'bad-transform');

/** Parses a number from `min` to `max`. */
export function numberOf(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw wrong(`${name} must be a number from ${min} to ${max}.`);
}

/** Parses a whole number of pixels above 0. A larger number than `max` counts as `max`. */
export function sizeOf(name: string, text: string, max: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value >= 1) return Math.min(value, max);
  throw wrong(`${name} must be a whole number of pixels, 1 to ${max}.`);
}

export function choiceOf<Choice extends string>(
  name: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((one) => one === text);
  if (choice) return choice;
  throw wrong(`${name} must be one of ${choices.join(', ')}.`);
}

const SIDES: Record<string, Gravity> = {
  auto: 'auto',
  center: { x: 0.5, y: 0.5 },
  left: { x: 0, y: 0.5 },
  right: { x: 1, y: 0.5 },
  top: { x: 0.5, y: 0 },
  bottom: { x: 0.5, y: 1 },
};
const POINT = /^(0|1|0?\.\d{1,4}|0\.0|1\.0)x(0|1|0?\.\d{1,4}|0\.0|1\.0)$/;

/** Parses a side, 'auto', or a point such as 0.5x0.25 from the left and the top. */
export function gravityOf(text: string): Gravity {
  const side = Object.hasOwn(SIDES, text) ? SIDES[text] : undefined;
  if (side) return side;
  const [, x, y] = POINT.exec(text) ?? [];
  if (x !== undefined && y !== undefined) return { x: Number(x), y: Number(y) };
  throw wrong(
    'gravity must be auto, center, left, right, top, bottom, or a point such as 0.5x0.2.',
  );
}

const HEX = /^([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** Parses a CSS colour. A hexadecimal one needs no '#', which a URL would have to escape. */
export function colourOf(text: string): Rgba {
  const rgba = text.length <= 64 ? Bun.color(HEX.test(text) ? `#${text}` : text, '[rgba]') : null;
  if (rgba) return rgba as Rgba;
  throw wrong('background must be a CSS colour such as fff, %23336699 or white.');
}

/*
 * Every value is rounded to a step, because strangers choose the values and each result is stored.
 * The steps are so small that nobody sees the difference.
 */

const upTo = (step: number) => (value: number) => Math.ceil(value / step) * step;
const nearest = (step: number) => (value: number) => Math.round(value / step) * step;
const tens = upTo(10);
const sixteens = upTo(16);

/**
 * Rounds up to a multiple of 10 or of 16, whichever is nearer. Nearly all sizes that people write
 * and layouts compute are one of the two, and no image gets fewer pixels than it needs.
 */
export const sizeStep = (pixels: number): number =>
  Math.min(tens(pixels), sixteens(pixels), DERIVED_SIDE_MAX);

/** Rounds a quality to 5, 10, … 100. */
export const qualityStep = (quality: number): number => Math.max(5, nearest(5)(quality));

/** Rounds a radius to 1, 2, … 10, 20, … 250. */
export const blurStep = (radius: number): number => {
  if (radius === 0) return 0;
  return radius <= 10 ? Math.max(1, Math.round(radius)) : nearest(10)(radius);
};

/** Rounds a sharpening to halves. */
export const sharpenStep = nearest(0.5);

/** Rounds a device pixel ratio up to 1, 1.5, … 3. */
export const dprStep = upTo(0.5);

/** Rounds each coordinate to tenths. */
export const gravityStep = (gravity: Gravity): Gravity =>
  gravity === 'auto' ? gravity : { x: tenth(gravity.x), y: tenth(gravity.y) };
const tenth = (value: number) => Math.round(value * 10) / 10;

/**
 * Rounds each channel to a multiple of 5, which no eye notices. Black, white and opaque stay exact.
 */
export const colourStep = ([red, green, blue, alpha]: Rgba): Rgba => {
  const step = nearest(5);
  return alpha === 0 ? [0, 0, 0, 0] : [step(red), step(green), step(blue), step(alpha)];
};
