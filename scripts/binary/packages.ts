import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const LICENSE_FILE = /^(licen[cs]e|copying|notice)([.-]|$)/i;

/** A package whose code, or something made from it, is in the program. */
export type Package = {
  name: string;
  version: string;
  license: string;
  description?: string;
  /** Names of its dependencies. */
  dependencies: string[];
  folder: string;
};

/** Packages that are in the program without being bundled: its runtime, the fonts and the styles. */
const UNBUNDLED = [
  'bun',
  '@fontsource-variable/inter',
  '@fontsource-variable/jetbrains-mono',
  'daisyui',
  'tailwindcss',
];

/**
 * Returns the packages inside the program for `arch`, each once, sorted by name. Throws for a package
 * without a licence.
 * @param modules the node_modules with the native packages of `arch`, which is not the root's for another
 *   architecture
 * @param bundled folders of packages from `root`, as packagesIn returns them
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
    ...UNBUNDLED.map((name) => join(root, 'node_modules', name)),
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

/** Returns the licences of packages, each under its name. They must be included with every copy. */
export async function licensesOf(packages: Package[]): Promise<string> {
  const parts = packages.map(async (one) => `${titleOf(one)}\n\n${await textOf(one)}`);
  return (await Promise.all(parts)).join(`\n${'-'.repeat(80)}\n\n`);
}

async function textOf({ folder, license }: Package): Promise<string> {
  const all = (await readdir(folder)).sort();
  const licenses = all.filter((one) => LICENSE_FILE.test(one));
  // The README of libvips lists the licences of its libraries.
  const names = licenses.length > 0 ? licenses : all.filter((one) => one === 'README.md');
  const texts = await Promise.all(names.map((one) => Bun.file(join(folder, one)).text()));
  return [license, ...texts.map((text) => text.trim())].join('\n\n').concat('\n');
}
