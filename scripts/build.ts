import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFonts } from './build/fonts.ts';
import { buildScripts } from './build/scripts.ts';
import { buildStyles, copyClip, copyPdfParts, copyStatics, makePictures } from './build/statics.ts';
import { AssetFolder } from './build/writer.ts';

/** Everything that browser files are made of. Pages are included because Tailwind reads their classes. */
const INPUTS = [
  'islands/**/*.{ts,tsx}',
  'server/contract/**/*.ts',
  'server/web/**/*.{ts,tsx,css,svg}',
  'server/web/assets/clip/**/*',
  'server/features/**/*.{tsx,jpg,avif}',
  'media/transforms/*.ts',
  'scripts/build.ts',
  'scripts/build/*.ts',
  'bun.lock',
];

const root = join(import.meta.dir, '..');

/** Returns a hash over the mode and the inputs' paths and contents. */
async function fingerprint(root: string, mode: string): Promise<string> {
  const lists = INPUTS.map((pattern) => [...new Bun.Glob(pattern).scanSync(root)]);
  const paths = [...new Set(lists.flat())].filter((path) => !path.includes('.test.')).sort();
  const contents = await Promise.all(paths.map((path) => readFile(join(root, path))));
  const hash = createHash('sha256').update(mode);
  for (const [index, path] of paths.entries()) {
    hash.update(`\0${path}\0`).update(contents[index] ?? '');
  }
  return hash.digest('hex');
}

/**
 * Builds everything that a browser fetches into dist/assets, with a manifest of logical name → file. Does
 * nothing when neither the inputs nor the mode have changed. Throws with the tool's own message.
 * @returns whether anything was built
 */
export async function build({ development = false } = {}): Promise<boolean> {
  const folder = new AssetFolder(join(root, 'dist/assets'));
  const print = await fingerprint(root, development ? 'development' : 'production');
  if (await folder.isCurrent(print)) return false;
  await folder.prepare();
  const [copied, fonts] = await Promise.all([copyStatics(root, folder), makeFonts(root, folder)]);
  const statics = { ...copied, ...fonts };
  const [packages] = await Promise.all([
    buildScripts(root, folder, development),
    makePictures(root, folder),
    copyClip(root, folder),
    copyPdfParts(root, folder),
    buildStyles(root, folder, statics, development),
  ]);
  await folder.finish(print, packages);
  return true;
}

if (import.meta.main) {
  const started = performance.now();
  if (await build()) {
    console.log(`Built the pages in ${Math.round(performance.now() - started)} ms.`);
  }
}
