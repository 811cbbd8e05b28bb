import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import { type BuildInfo, readSource } from '../server/runtime/build-info.ts';
import { bomOf } from './binary/bom.ts';
import {
  ARCHES,
  type Arch,
  embeddedSharp,
  foreignModules,
  stageLibraries,
} from './binary/libraries.ts';
import { licensesOf, type Package, readPackages } from './binary/packages.ts';
import { packagesIn } from './build/scripts.ts';
import type { Manifest } from './build/writer.ts';
import { build } from './build.ts';

const root = join(import.meta.dir, '..');

/** The other entries of the program, which Bun puts at these paths of the file system inside it. */
const THREADS = ['server/platform/db/sqlite/thread', 'server/platform/folders/thread'];

/**
 * Returns what the binary reports in `version --json`. A build without git, as in an image, can name its
 * source by WHARF_COMMIT and WHARF_COMMIT_DATE.
 * @param modules the node_modules with sharp for `arch`
 */
async function buildInfo(root: string, modules: string, arch: string): Promise<BuildInfo> {
  const { WHARF_COMMIT, WHARF_COMMIT_DATE } = process.env;
  const { version } = await Bun.file(join(modules, 'sharp/package.json')).json();
  const libvips = join(modules, '@img', `sharp-libvips-linux-${arch}`, 'versions.json');
  const { vips } = await Bun.file(libvips).json();
  const source = WHARF_COMMIT
    ? { commit: WHARF_COMMIT, commit_date: WHARF_COMMIT_DATE || null }
    : readSource(root);
  return { ...source, sharp: version, libvips: vips };
}

/**
 * Builds the program for one architecture: server, pages, guide, migrations, Bun and sharp's libraries in a
 * single file, and beside it the licences and the bill of materials. Throws with the tool's own message.
 * @returns the path of the file
 */
export async function buildBinary({
  arch = process.arch as Arch,
  outfile = join(root, 'dist', arch === process.arch ? 'wharf' : `wharf-linux-${arch}`),
}: {
  arch?: Arch;
  outfile?: string;
} = {}): Promise<string> {
  await build();
  const staged = join(root, 'dist/binary', arch);
  const foreign =
    arch === process.arch ? null : await foreignModules(root, arch, `${staged}-modules`);
  const modules = foreign?.modules ?? join(root, 'node_modules');
  await rm(staged, { recursive: true, force: true });
  const inPages = await stagePages(join(staged, 'assets'));
  await stageLibraries(modules, arch, join(staged, 'native'));

  // The binary contains the name that it is first written to, so that is the same for every output.
  const fresh = join(staged, 'wharf');
  const info = await buildInfo(root, modules, arch);
  const { metafile } = await Bun.build({
    entrypoints: ['server/main', ...THREADS].map((module) => join(root, `${module}.ts`)),
    root,
    target: 'bun',
    format: 'esm',
    // Libraries read class names at run time; see docs/decisions/0041-keep-identifiers.md.
    minify: { whitespace: true, syntax: true },
    splitting: true,
    bytecode: true,
    metafile: true,
    define: {
      'process.env.NODE_ENV': '"production"',
      // libheif-js asks where it is. The bundler would write this folder's path into the program.
      __filename: '"/libheif.js"',
      WHARF_BUILD: JSON.stringify(info),
      WHARF_THREADS: JSON.stringify('/$bunfs/root/'),
    },
    jsx: { runtime: 'automatic', development: false },
    plugins: [embeddedSharp(root)],
    compile: {
      target: `bun-linux-${arch}`,
      ...(foreign && { executablePath: foreign.executablePath }),
      outfile: fresh,
      assets: await inOrder(staged),
      // Settings come only from the environment, whatever files are in the working folder.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
  if (!metafile) throw new Error('The bundler did not say what the program is made of.');
  const bundled = [...packagesIn(metafile), ...inPages];
  const packages = await readPackages(root, modules, arch, bundled);
  await writeContents(fresh, outfile, packages, info);
  await rename(fresh, outfile);
  return outfile;
}

/**
 * Copies this build of the pages, without the leftovers of earlier ones.
 * @returns the packages that are bundled in it
 */
async function stagePages(folder: string): Promise<string[]> {
  const source = join(root, 'dist/assets');
  const { all, packages }: Manifest = await Bun.file(join(source, 'manifest.json')).json();
  for (const name of all) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await copyFile(join(source, name), join(folder, name));
  }
  return packages;
}

/** Writes the licences and the bill of materials beside a program. */
async function writeContents(
  program: string,
  outfile: string,
  packages: Package[],
  info: BuildInfo,
) {
  const { name, version, license } = packageJson;
  const sha256 = new Bun.CryptoHasher('sha256')
    .update(await Bun.file(program).bytes())
    .digest('hex');
  const bom = await bomOf({ name, version, license, sha256 }, packages, info);
  await Bun.write(`${outfile}-licenses.txt`, await licensesOf(packages));
  await Bun.write(`${outfile}.cdx.json`, `${bom}\n`);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { arch: { type: 'string' } } });
  const arch = ARCHES.find((one) => one === (values.arch ?? process.arch));
  if (!arch) throw new Error(`Unknown --arch ${values.arch}: use ${ARCHES.join(' or ')}.`);
  const started = performance.now();
  const path = await buildBinary({ arch });
  const mib = (Bun.file(path).size / 1024 / 1024).toFixed(0);
  console.log(`Built ${path}, ${mib} MiB, in ${Math.round(performance.now() - started)} ms.`);
}

/**
 * Bun embeds the files of a folder in the order in which the disk lists them, which differs between
 * machines. This moves each file below `folder` into a numbered folder of its own, where it keeps its path;
 * Bun merges folders of the same name.
 * @returns the folders to embed, in the order of their files' paths
 */
async function inOrder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile());
  const paths = files.map((one) => join(one.parentPath, one.name).slice(folder.length + 1)).sort();
  return Promise.all(
    paths.map(async (path, index) => {
      const own = join(folder, 'ordered', String(index));
      await mkdir(join(own, dirname(path)), { recursive: true });
      await rename(join(folder, path), join(own, path));
      return join(own, path.split('/')[0] ?? '');
    }),
  );
}
