import { join } from 'node:path';
import { copyClip } from './build/clip.ts';
import { fingerprint } from './build/fingerprint.ts';
import { makePictures } from './build/pictures.ts';
import { buildScripts } from './build/scripts.ts';
import { copyStatics } from './build/statics.ts';
import { buildStyles } from './build/styles.ts';
import { AssetFolder } from './build/writer.ts';

const root = join(import.meta.dir, '..');

/**
 * Builds everything a browser fetches into dist/assets, with a manifest of logical name → file.
 * Does nothing when neither the inputs nor the mode changed. Throws with the tool's own words.
 * @returns whether anything was built
 */
export async function build({ development = false } = {}): Promise<boolean> {
  const folder = new AssetFolder(join(root, 'dist/assets'));
  const print = await fingerprint(root, development ? 'development' : 'production');
  if (await folder.isCurrent(print)) return false;
  await folder.prepare();
  const statics = await copyStatics(root, folder);
  const [packages] = await Promise.all([
    buildScripts(root, folder, development),
    makePictures(root, folder),
    copyClip(root, folder),
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
