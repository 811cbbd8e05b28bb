import type { Size } from '../../server/contract/media.ts';

/** Fewer lines than this are no first impression. */
const EARLY_LINES = 360;
/** Decoding the source, against encoding as many pixels: weights progress, nothing else. */
const DECODING = 0.3;

/**
 * The encoding runs for some sizes, given and returned largest first: one small size that is
 * worth watching, so that viewers need not wait, then all others together. The smallest with at
 * least 360 lines (of its shorter side), or the largest where none has them.
 */
export function createEncodingRuns(sizes: Size[]): Size[][] {
  const early = sizes.findLast((size) => Math.min(size.width, size.height) >= EARLY_LINES);
  const first = early ?? sizes[0];
  const others = sizes.filter((size) => size !== first);
  return first && others.length > 0 ? [[first], others] : [sizes];
}

/** About how much of the whole work each run is, as fractions that add up to 1. */
export function shares(runs: Size[][], source: Size): number[] {
  const pixels = ({ width, height }: Size) => width * height;
  const costs = runs.map((sizes) =>
    sizes.reduce((sum, size) => sum + pixels(size), pixels(source) * DECODING),
  );
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  return costs.map((cost) => cost / total);
}
