import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const LICENSE_FILE = /^(licen[cs]e|copying|notice)([.-]|$)/i;

/** A package whose code, or what was made of it, is in the program. */
export type Package = {
  name: string;
  version: string;
  license: string;
  description?: string;
  /** Names of what it needs. */
  dependencies: string[];
  folder: string;
};

/** In the program by other ways than a bundle: as what runs it, as fonts, and in the styles. */
const BESIDES = [
  'bun',
  '@fontsource-variable/inter',
  '@fontsource-variable/jetbrains-mono',
  'daisyui',
  'tailwindcss',
];

/**
 * What is inside the program for `arch`, each once, by name. Throws at a package that names no licence.
 * @param modules the node_modules with the native packages of `arch`, for another machine not the root's
 * @param bundled folders of packages from `root`, as packagesIn answers them
 */
export async function readPackages(
  root: string,
  modules: string,
  arch: string,
  bundled: string[],
): Promise<Package[]> {
  const native = [`@img/sharp-linux-${arch}`, `@img/sharp-libvips-linux-${arch}`];
  const folders = [
    ...bundled.map((path) => join(root, path)),
    ...BESIDES.map((name) => join(root, 'node_modules', name)),
    ...native.map((name) => join(dirname(modules), 'node_modules', name)),
  ];
  const packages = new Map<string, Package>();
  for (const folder of folders) {
    const about = await Bun.file(join(folder, 'package.json')).json();
    const { name, version, license, description } = about;
    if (!license) throw new Error(`${name} names no licence: look for yourself.`);
    const needed = {
      ...about.dependencies,
      ...about.optionalDependencies,
      ...about.peerDependencies,
    };
    const dependencies = Object.keys(needed).sort();
    packages.set(titleOf(about), { name, version, license, description, dependencies, folder });
  }
  return [...packages.values()].sort((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
}

const titleOf = ({ name, version }: Pick<Package, 'name' | 'version'>) => `${name} ${version}`;

/** The licences of packages, by the name of each: they ask to go with every copy. */
export async function licensesOf(packages: Package[]): Promise<string> {
  const parts = packages.map(async (one) => `${titleOf(one)}\n\n${await textOf(one)}`);
  return (await Promise.all(parts)).join(`\n${'-'.repeat(80)}\n\n`);
}

async function textOf({ folder, license }: Package): Promise<string> {
  const all = (await readdir(folder)).sort();
  const licenses = all.filter((one) => LICENSE_FILE.test(one));
  // That of libvips lists the licences of the libraries in it.
  const names = licenses.length > 0 ? licenses : all.filter((one) => one === 'README.md');
  const texts = await Promise.all(names.map((one) => Bun.file(join(folder, one)).text()));
  return [license, ...texts.map((text) => text.trim())].join('\n\n').concat('\n');
}
