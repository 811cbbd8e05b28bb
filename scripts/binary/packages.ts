import { dirname, join } from 'node:path';

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

export const titleOf = ({ name, version }: Pick<Package, 'name' | 'version'>) =>
  `${name} ${version}`;
