import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Package, titleOf } from './packages.ts';

const TEXT = /^(licen[cs]e|copying|notice)([.-]|$)/i;

/** The licences of packages, by the name of each: they ask to go with every copy. */
export async function licensesOf(packages: Package[]): Promise<string> {
  const parts = packages.map(async (one) => `${titleOf(one)}\n\n${await textOf(one)}`);
  return (await Promise.all(parts)).join(`\n${'-'.repeat(80)}\n\n`);
}

async function textOf({ folder, license }: Package): Promise<string> {
  const all = (await readdir(folder)).sort();
  const licenses = all.filter((one) => TEXT.test(one));
  // That of libvips lists the licences of the libraries in it.
  const names = licenses.length > 0 ? licenses : all.filter((one) => one === 'README.md');
  const texts = await Promise.all(names.map((one) => Bun.file(join(folder, one)).text()));
  return [license, ...texts.map((text) => text.trim())].join('\n\n').concat('\n');
}
