import { DERIVED_SIDE_MAX, type Gravity, type Rgba } from '../../../contract/transforms.ts';

/*
 * Every value is rounded to a step: strangers choose them, and what differs by a hair should be
 * one derivative. Steps are small enough that nobody sees the difference.
 */

const upTo = (step: number) => (value: number) => Math.ceil(value / step) * step;
const nearest = (step: number) => (value: number) => Math.round(value / step) * step;
const tens = upTo(10);
const sixteens = upTo(16);

/**
 * The next multiple of 10 or of 16, whichever is nearer: nearly all sizes that people write and
 * layouts compute are one of the two, and what is not is never given fewer pixels than it needs.
 */
export const sizeStep = (pixels: number): number =>
  Math.min(tens(pixels), sixteens(pixels), DERIVED_SIDE_MAX);

/** 5, 10, … 100. */
export const qualityStep = (quality: number): number => Math.max(5, nearest(5)(quality));

/** 1 to 10 by one, then by ten up to 250. */
export const blurStep = (radius: number): number => {
  if (radius === 0) return 0;
  return radius <= 10 ? Math.max(1, Math.round(radius)) : nearest(10)(radius);
};

/** By halves. */
export const sharpenStep = nearest(0.5);

/** 1, 1.5, … 3. */
export const dprStep = upTo(0.5);

/** Each coordinate by tenths. */
export const gravityStep = (gravity: Gravity): Gravity =>
  gravity === 'auto' ? gravity : { x: tenth(gravity.x), y: tenth(gravity.y) };
const tenth = (value: number) => Math.round(value * 10) / 10;

/** Each channel by five, which no eye tells apart; black, white and opaque stay what they are. */
export const colourStep = ([red, green, blue, alpha]: Rgba): Rgba => {
  const step = nearest(5);
  return alpha === 0 ? [0, 0, 0, 0] : [step(red), step(green), step(blue), step(alpha)];
};
