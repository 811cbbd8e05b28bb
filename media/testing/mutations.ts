/** Returns a generator of numbers from 0 to below 1, always the same ones for a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const KINDS = ['cut', 'bits', 'header', 'zeroes', 'moved'] as const;

/**
 * Returns a damaged copy of a file: cut off, with bits flipped anywhere or near its beginning (where its
 * structure is), with a range of zeroes, or with one range copied over another.
 */
export function malformed(bytes: Uint8Array, random: () => number): Uint8Array {
  const below = (max: number) => Math.floor(random() * Math.max(1, max));
  const kind = KINDS[below(KINDS.length)];
  if (kind === 'cut') return new Uint8Array(bytes.subarray(0, below(bytes.length)));
  const mutated = new Uint8Array(bytes);
  const length = 1 + below(mutated.length / 8);
  if (kind === 'zeroes') {
    const start = below(mutated.length);
    mutated.fill(0, start, start + length);
  } else if (kind === 'moved') {
    const from = below(mutated.length - length);
    mutated.copyWithin(below(mutated.length - length), from, from + length);
  } else {
    const reach = kind === 'header' ? Math.min(1024, mutated.length) : mutated.length;
    for (let flips = 1 + below(32); flips > 0; flips -= 1) {
      const at = below(reach);
      mutated[at] = (mutated[at] ?? 0) ^ (1 << below(8));
    }
  }
  return mutated;
}
