import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

type Package = {
  name: string;
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

const TEXT = /^(licen[cs]e|copying|notice)([.-]|$)/i;

/**
 * The licences of all that a program made in `root` may hold, by the name of each package: they ask to
 * go with every copy. Throws at a package that names none.
 * @param modules the node_modules that are looked in, for another kind of machine not those of `root`
 */
export async function licensesOf(root: string, modules: string): Promise<string> {
  const found = new Map<string, string>();
  const own: Package = await Bun.file(join(root, 'package.json')).json();

  async function visit(name: string, from: string): Promise<void> {
    const folder = locate(name, from, modules);
    if (!folder) return;
    const about: Package = await Bun.file(join(folder, 'package.json')).json();
    const title = `${about.name} ${about.version}`;
    if (found.has(title)) return;
    found.set(title, await textOf(folder, about));
    const next = { ...about.dependencies, ...about.optionalDependencies };
    for (const one of Object.keys(next)) await visit(one, folder);
  }

  for (const name of Object.keys(own.dependencies ?? {})) await visit(name, dirname(modules));
  const titles = [...found.keys()].sort();
  return titles.map((title) => `${title}\n\n${found.get(title)}`).join(`\n${'-'.repeat(80)}\n\n`);
}

/** The folder of a package as `from` would find it; null for one that is for other machines. */
function locate(name: string, from: string, modules: string): string | null {
  for (let folder = from; folder.startsWith(dirname(modules)); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
  }
  return null;
}

async function textOf(folder: string, { name, license }: Package): Promise<string> {
  if (!license) throw new Error(`${name} names no licence: look for yourself.`);
  const all = (await readdir(folder)).sort();
  const licenses = all.filter((one) => TEXT.test(one));
  // That of libvips lists the licences of the libraries in it.
  const names = licenses.length > 0 ? licenses : all.filter((one) => one === 'README.md');
  const texts = await Promise.all(names.map((one) => Bun.file(join(folder, one)).text()));
  return [license, ...texts.map((text) => text.trim())].join('\n\n').concat('\n');
}
