import { join } from 'node:path';
import subsetFont from 'subset-font';
import type { AssetFolder } from './writer.ts';

/** The weights that our styles use. */
const WEIGHTS = { min: 400, max: 600 };

/** The characters of the fonts' Latin files, which the stand-ins replace beyond that. */
const RANGES = [
  [0x20, 0x7e],
  [0xa0, 0xff],
  [0x152, 0x153],
  [0x2010, 0x2026],
  [0x2030, 0x203a],
] as const;
const OTHERS = 'ıˆ˚˜€™↑↓−∕\ufffd';

/** Logical name → file, and the features of the font that are kept: how letters join, and what our styles turn on. */
const FONTS: Record<string, { path: string; features: string[] }> = {
  'inter.woff2': {
    path: 'inter/files/inter-latin-wght-normal.woff2',
    features: ['ccmp', 'locl', 'kern', 'mark', 'mkmk', 'tnum', 'cv05', 'ss03'],
  },
  // Code is read letter by letter, so it has no ligatures.
  'mono.woff2': {
    path: 'jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
    features: ['ccmp', 'locl', 'mark', 'mkmk'],
  },
};

/**
 * Adds our fonts with the characters, weights and features that pages use, which is half of their bytes. Returns
 * logical name → file name.
 */
export async function makeFonts(root: string, folder: AssetFolder) {
  const characters = RANGES.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)),
  );
  const made: Record<string, string> = {};
  for (const [logical, { path, features }] of Object.entries(FONTS)) {
    const source = await Bun.file(join(root, 'node_modules/@fontsource-variable', path)).bytes();
    const font = await subsetFont(Buffer.from(source), characters.join('') + OTHERS, {
      targetFormat: 'woff2',
      variationAxes: { wght: WEIGHTS },
      keepFeatures: features,
    });
    made[logical] = await folder.add(logical, new Uint8Array(font));
  }
  return made;
}
