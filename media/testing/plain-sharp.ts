import type { Metadata } from 'sharp';
import { run } from './clips.ts';

const CODE = `
  import sharp from 'sharp';
  const image = sharp(process.argv[1], { animated: true });
  console.log(JSON.stringify(await image.metadata()));`;

/**
 * Reads an image in another process with an unconfigured sharp: the one of media/ can't read AVIF, which
 * nobody can upload.
 */
export async function plainMetadata(path: string): Promise<Metadata> {
  return JSON.parse(await run(process.execPath, '-e', CODE, path));
}
