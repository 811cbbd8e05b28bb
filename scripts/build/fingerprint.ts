import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Everything that what a browser fetches is made of, pages included: Tailwind reads their classes. */
const INPUTS = [
  'islands/**/*.{ts,tsx}',
  'server/contract/**/*.ts',
  'server/web/**/*.{ts,tsx,css,svg}',
  'server/web/assets/clip/**/*',
  'server/features/**/*.{tsx,jpg}',
  'media/transforms/*.ts',
  'scripts/build.ts',
  'scripts/build/*.ts',
  'bun.lock',
];

/** A hash over the inputs' paths and contents, and the mode. */
export async function fingerprint(root: string, mode: string): Promise<string> {
  const lists = INPUTS.map((pattern) => [...new Bun.Glob(pattern).scanSync(root)]);
  const paths = [...new Set(lists.flat())].filter((path) => !path.includes('.test.')).sort();
  const contents = await Promise.all(paths.map((path) => readFile(join(root, path))));
  const hash = createHash('sha256').update(mode);
  for (const [index, path] of paths.entries()) {
    hash.update(`\0${path}\0`).update(contents[index] ?? '');
  }
  return hash.digest('hex');
}
