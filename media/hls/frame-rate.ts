/** Frames a second as the fraction that containers use: 30000/1001 is 29.97. */
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
const MOST = 60;
/** Below this a key frame every two seconds, and seeking, make no sense. */
const LEAST = 5;
/** Rates above come from time bases (1000 or 90000 ticks), not from cameras. */
const BELIEVABLE = 300;
const CLOSE = 0.005;
const USUAL: FrameRate = { frames: 30, seconds: 1 };

export const rateValue = (rate: FrameRate) => rate.frames / rate.seconds;

/** Reads ffprobe's '30000/1001'. Null for '0/0' and anything else that is not a positive rate. */
export function parseRate(text: string | undefined): FrameRate | null {
  const match = /^(\d+)\/(\d+)$/.exec(text ?? '');
  const rate = { frames: Number(match?.[1]), seconds: Number(match?.[2]) };
  return rate.frames > 0 && rate.seconds > 0 ? rate : null;
}

/**
 * The constant rate to encode at, 5 to 60 frames a second. A constant source keeps its own rate
 * (120 is halved to 60); a varying one gets the rate of its time stamps, or the next standard one
 * above its mean, so that bursts of movement in a still recording stay smooth. Repeated frames
 * cost next to nothing.
 */
export function encodingRate(
  mean: FrameRate | null,
  base: FrameRate | null,
  interlaced = false,
): FrameRate {
  const average = mean && rateValue(mean) <= BELIEVABLE ? mean : null;
  const grid = base && rateValue(base) <= BELIEVABLE ? base : null;
  if (!average) return grid ? tame(grid) : USUAL;
  // Of an interlaced source the base rate counts fields, of which two make a frame.
  if (interlaced || (grid && near(average, grid))) return tame(average);
  if (grid && rateValue(grid) <= MOST && rateValue(grid) > rateValue(average)) return tame(grid);
  return (
    STANDARD.find((one) => rateValue(one) >= rateValue(average) * (1 - CLOSE)) ?? tame(average)
  );
}

function tame(rate: FrameRate): FrameRate {
  if (rateValue(rate) > MOST * (1 + CLOSE)) return tame({ ...rate, seconds: rate.seconds * 2 });
  if (rateValue(rate) < LEAST) return { frames: LEAST, seconds: 1 };
  return STANDARD.find((one) => near(one, rate, 0.0005)) ?? rate;
}

function near(a: FrameRate, b: FrameRate, tolerance = CLOSE): boolean {
  return Math.abs(rateValue(a) / rateValue(b) - 1) <= tolerance;
}
