import type { Metadata } from 'sharp';
import { run } from './clips.ts';

const CODE = `
  import sharp from 'sharp';
  const image = sharp(process.argv[1], { animated: true });
  console.log(JSON.stringify(await image.metadata()));`;

/**
 * What an image is, read in a process of its own by a sharp that nobody has set up: the one of
 * media/ has no reader for AVIF, as nobody may upload one.
 */
export async function plainMetadata(path: string): Promise<Metadata> {
  return JSON.parse(await run(process.execPath, '-e', CODE, path));
}
