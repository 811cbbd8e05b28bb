/** Frames per second as the fraction that containers use: 30000/1001 is 29.97. */
export type FrameRate = { frames: number; seconds: number };

const STANDARD: FrameRate[] = [
  { frames: 24000, seconds: 1001 },
  { frames: 24, seconds: 1 },
  { frames: 25, seconds: 1 },
  { frames: 30000, seconds: 1001 },
  { frames: 30, seconds: 1 },
  { frames: 50, seconds: 1 },
  { frames: 60000, seconds: 1001 },
  { frames: 60, seconds: 1 },
];
const MAX_RATE = 60;
/** Below this rate, a key frame every two seconds and seeking make no sense. */
const MIN_RATE = 5;
/** Higher rates come from time bases (1000 or 90000 ticks) and not from cameras. */
const MAX_CREDIBLE_RATE = 300;
const TOLERANCE = 0.005;
const DEFAULT_RATE: FrameRate = { frames: 30, seconds: 1 };

export const rateValue = (rate: FrameRate) => rate.frames / rate.seconds;

/**
 * Parses a rate of ffprobe such as '30000/1001'. Returns null for '0/0' and anything else that is not a
 * positive rate.
 */
export function parseRate(text: string | undefined): FrameRate | null {
  const match = /^(\d+)\/(\d+)$/.exec(text ?? '');
  const rate = { frames: Number(match?.[1]), seconds: Number(match?.[2]) };
  return rate.frames > 0 && rate.seconds > 0 ? rate : null;
}

/**
 * Returns the constant rate to encode at, from 5 to 60 frames per second. A constant source keeps its own
 * rate (120 is halved to 60); rounded time stamps may have moved its mean to 30.02 where it is 30. A
 * variable one gets the rate of its time stamps, or the next standard rate above its mean, so that bursts
 * of movement in a still recording stay smooth. Repeated frames cost next to nothing.
 */
export function encodingRate(
  mean: FrameRate | null,
  base: FrameRate | null,
  interlaced = false,
): FrameRate {
  const average = mean && rateValue(mean) <= MAX_CREDIBLE_RATE ? mean : null;
  const grid = base && rateValue(base) <= MAX_CREDIBLE_RATE ? base : null;
  if (!average) return grid ? limitRate(grid) : DEFAULT_RATE;
  // The base rate of an interlaced source counts fields, two of which make a frame.
  if (interlaced) return limitRate(average);
  if (grid && isNear(average, grid)) return limitRate(findStandard(average) ?? grid);
  if (grid && rateValue(grid) <= MAX_RATE && rateValue(grid) > rateValue(average))
    return limitRate(grid);
  return (
    STANDARD.find((one) => rateValue(one) >= rateValue(average) * (1 - TOLERANCE)) ??
    limitRate(average)
  );
}

function limitRate(rate: FrameRate): FrameRate {
  if (rateValue(rate) > MAX_RATE * (1 + TOLERANCE))
    return limitRate({ ...rate, seconds: rate.seconds * 2 });
  if (rateValue(rate) < MIN_RATE) return { frames: MIN_RATE, seconds: 1 };
  return findStandard(rate) ?? rate;
}

const findStandard = (rate: FrameRate) => STANDARD.find((one) => isNear(one, rate, 0.0005));

function isNear(a: FrameRate, b: FrameRate, tolerance = TOLERANCE): boolean {
  return Math.abs(rateValue(a) / rateValue(b) - 1) <= tolerance;
}
