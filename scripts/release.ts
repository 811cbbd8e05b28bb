import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ARCHES, type Arch } from './binary/modules.ts';
import { buildBinary } from './binary.ts';
import { checkRelease } from './release/check.ts';
import { Problem, runProgram } from './setup/problem.mjs';

const root = join(import.meta.dir, '..');
const RELEASE = join(root, 'dist/release');
/** What a release has besides the programs: what installs them, and what runs them as a service. */
const PACKAGING = ['packaging/install.sh', 'packaging/wharf.service'];

/** A line for each file of a folder, by name, as `sha256sum --check` reads them. */
async function sumsOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).sort();
  const lines: string[] = [];
  for (const name of names) {
    const sum = createHash('sha256').update(await readFile(join(folder, name)));
    lines.push(`${sum.digest('hex')}  ${name}\n`);
  }
  return lines.join('');
}

/**
 * Makes the files of a release in dist/release, whole or not at all. Throws Problem where the commit is
 * none to release.
 */
async function release(arches: Arch[]) {
  const { version, notes } = await checkRelease(root);
  // The files go to a web server as they are, so everybody may read them.
  process.umask(0o022);
  const fresh = `${RELEASE}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  for (const arch of arches) {
    await buildBinary({ arch, outfile: join(fresh, `wharf-linux-${arch}`) });
  }
  for (const path of PACKAGING) await copyFile(join(root, path), join(fresh, basename(path)));
  await Bun.write(join(fresh, 'RELEASE_NOTES.md'), notes);
  const sums = await sumsOf(fresh);
  await Bun.write(join(fresh, 'SHA256SUMS'), sums);
  await rm(RELEASE, { recursive: true, force: true });
  await rename(fresh, RELEASE);
  console.log(`Wharf ${version} is in ${RELEASE}:\n\n${sums}`);
}

await runProgram(async () => {
  const { values } = parseArgs({ options: { arch: { type: 'string', multiple: true } } });
  const asked = values.arch ?? ARCHES;
  const arches = ARCHES.filter((arch) => asked.includes(arch));
  const unknown = asked.find((one) => !ARCHES.some((arch) => arch === one));
  if (unknown) throw new Problem(`unknown --arch ${unknown}: use ${ARCHES.join(' or ')}`);
  await release(arches);
});
