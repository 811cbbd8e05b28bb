import { createHash } from 'node:crypto';
import { cp, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Embedded } from '../../media/image/libraries.ts';
import { elfImages } from './machine.ts';
import type { Arch } from './modules.ts';

/**
 * Copies sharp's addon and libvips for an architecture from `modules` (a node_modules) into `folder`,
 * with a list of them and their hashes. Their folders stay as npm lays them out: the addon looks for
 * libvips in `../../sharp-libvips-…/lib`. Throws where they are another machine's: the file would start,
 * and fail at its first image.
 */
export async function stageLibraries(modules: string, arch: Arch, folder: string) {
  const packages = [`sharp-linux-${arch}`, `sharp-libvips-linux-${arch}`];
  const paths = (await Promise.all(packages.map((name) => librariesOf(modules, name)))).flat();
  const addon = paths.find((path) => path.endsWith('.node'));
  if (!addon || paths.length !== 2) {
    throw new Error(`sharp for linux-${arch} is laid out in a new way: ${paths.join(', ')}`);
  }
  const files: Embedded['files'] = [];
  for (const path of paths) {
    await cp(join(modules, '@img', path), join(folder, path));
    const bytes = await readFile(join(folder, path));
    if (elfImages(bytes)[0]?.machine !== arch)
      throw new Error(`${path} is not a library for ${arch}.`);
    files.push({ path, sha256: createHash('sha256').update(bytes).digest('hex') });
  }
  const embedded: Embedded = { version: basename(addon, '.node'), files, addon };
  await Bun.write(join(folder, 'libraries.json'), JSON.stringify(embedded, null, 1));
}

async function librariesOf(modules: string, name: string): Promise<string[]> {
  const folder = join(modules, '@img', name);
  const names = (await readdir(join(folder, 'lib'))).sort();
  return names.filter((one) => /\.node$|\.so(\.|$)/.test(one)).map((one) => join(name, 'lib', one));
}
