import { join } from 'node:path';
import type { AssetFolder } from './writer.ts';

const STATICS: Record<string, string> = {
  'inter.woff2': 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  'mono.woff2':
    'node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
  'embed.css': 'server/web/styles/embed.css',
  'favicon.svg': 'server/web/styles/favicon.svg',
};

/** Copies fonts and the favicon. Returns logical name → file name. */
export async function copyStatics(root: string, folder: AssetFolder) {
  const copied: Record<string, string> = {};
  for (const [logical, path] of Object.entries(STATICS)) {
    copied[logical] = await folder.add(logical, await Bun.file(join(root, path)).bytes());
  }
  return copied;
}
