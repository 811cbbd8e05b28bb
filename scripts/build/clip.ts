import { join } from 'node:path';
import { CLIP } from '../../server/web/assets/clip.ts';
import type { AssetFolder } from './writer.ts';

/** The landing page's clip, byte for byte as the media pipeline made it; scripts/clip.ts has it made. */
export async function copyClip(root: string, folder: AssetFolder) {
  const from = join(root, 'server/web/assets/clip');
  const contents = CLIP.files.map(
    async (name) => [name, await Bun.file(join(from, name)).bytes()] as const,
  );
  await folder.addFolder('clip', await Promise.all(contents));
}
