import { createHash } from 'node:crypto';
import { copyFile, cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BunPlugin } from 'bun';
import type { Embedded } from '../../media/image/libraries.ts';

/** `e_machine` of an ELF header, as the gABI numbers it. */
const MACHINES: Record<number, Arch> = { 62: 'x64', 183: 'arm64' };
/** The magic number, 64 bits, little-endian, version 1. */
const MAGIC = Buffer.from('\x7fELF\x02\x01\x01', 'latin1');
const HEADER_BYTES = 64;

/** The architectures for which there is a program. */
export const ARCHES = ['x64', 'arm64'] as const;
export type Arch = (typeof ARCHES)[number];

/** Bun's names of the architectures. */
const OVEN: Record<Arch, string> = { x64: 'bun-linux-x64', arm64: 'bun-linux-aarch64' };

/**
 * Installs the native packages for another architecture: Bun, sharp and libvips in the versions of
 * bun.lock. Throws with Bun's message.
 * @param folder where to install them; an earlier installation there is reused
 * @returns the node_modules, and in it the Bun that the binary is made of
 */
export async function foreignModules(root: string, arch: Arch, folder: string) {
  await mkdir(folder, { recursive: true });
  for (const name of ['package.json', 'bun.lock', 'bunfig.toml']) {
    await copyFile(join(root, name), join(folder, name));
  }
  const install = Bun.spawnSync(
    [
      process.execPath,
      'install',
      '--frozen-lockfile',
      '--production',
      '--ignore-scripts',
      '--os=linux',
      `--cpu=${arch}`,
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  if (!install.success) throw new Error(`Installing for ${arch} failed:\n${install.stderr}`);
  const modules = join(folder, 'node_modules');
  return { modules, executablePath: join(modules, '@oven', OVEN[arch], 'bin/bun') };
}

/**
 * Copies sharp's addon and libvips for an architecture from `modules` (a node_modules) into `folder`, with
 * a list of the files and their hashes. They keep npm's layout, because the addon looks for libvips in
 * `../../sharp-libvips-…/lib`. Throws where they are for another architecture, since that program would
 * start and fail at its first image.
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

type ElfImage = {
  /** Null where it is none of the architectures that Wharf is built for. */
  machine: Arch | null;
  /** Everything up to the end of the section headers, which linkers write last. */
  bytes: Uint8Array;
};

/**
 * Returns the programs and libraries for 64-bit Linux that start at any position in `bytes`. A library
 * contains one; the built program contains one for itself and one for each of its libraries.
 */
export function elfImages(bytes: Uint8Array): ElfImage[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const images: ElfImage[] = [];
  for (let at = all.indexOf(MAGIC); at >= 0; at = all.indexOf(MAGIC, at + 1)) {
    const image = elfImageAt(all.subarray(at));
    if (image) images.push(image);
  }
  return images;
}

/** Returns null where only the magic number is there, as in a program that writes such files. */
function elfImageAt(bytes: Buffer): ElfImage | null {
  if (bytes.length < HEADER_BYTES || bytes.readUInt16LE(52) !== HEADER_BYTES) return null;
  const sectionHeaders = Number(bytes.readBigUInt64LE(40));
  const end = sectionHeaders + bytes.readUInt16LE(58) * bytes.readUInt16LE(60);
  if (end > bytes.length) return null;
  return { machine: MACHINES[bytes.readUInt16LE(18)] ?? null, bytes: bytes.subarray(0, end) };
}

/**
 * sharp looks for its addon in node_modules, which the binary does not have. This replaces the module that
 * looks for it by one that loads what media/image/libraries.ts has extracted.
 */
export const embeddedSharp = (root: string): BunPlugin => ({
  name: 'embedded-sharp',
  setup(build) {
    build.onLoad({ filter: /[\\/]sharp[\\/]dist[\\/]sharp\.[cm]js$/ }, ({ path }) => {
      if (path.endsWith('.cjs')) throw new Error('sharp is loaded as CommonJS now: look again.');
      return {
        contents: `
          import { createRequire } from 'node:module';
          import { sharpAddon } from ${JSON.stringify(join(root, 'media/image/libraries.ts'))};
          export default createRequire(import.meta.url)(sharpAddon());
        `,
        loader: 'js',
      };
    });
  },
});
