import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ARCHES, type Arch } from './binary/libraries.ts';
import { buildBinary } from './binary.ts';
import { Problem, runProgram } from './setup/problem.mjs';

const root = join(import.meta.dir, '..');
const RELEASE = join(root, 'dist/release');
/** The files of a release besides the programs: the installer and the unit for systemd. */
const PACKAGING = ['packaging/install.sh', 'packaging/wharf.service'];

/**
 * Returns the version of the commit that is checked out at `root`, and its section of the changelog. Throws
 * Problem where the commit is not what would be built, or can't be released.
 */
export async function checkRelease(root: string): Promise<{ version: string; notes: string }> {
  const changed = git(root, 'status', '--porcelain');
  if (changed === null)
    throw new Problem(`${root} is not a git repository; a release needs a commit`);
  const [first, ...more] = changed.split('\n').map((line) => line.slice(3));
  if (first) {
    const others = more.length > 0 ? ` and ${more.length} more` : '';
    throw new Problem(
      `the working tree has uncommitted changes: commit or remove ${first}${others}`,
    );
  }
  const { version } = await Bun.file(join(root, 'package.json')).json();
  const notes = notesOf(await Bun.file(join(root, 'CHANGELOG.md')).text(), version);
  if (!notes)
    throw new Problem(`CHANGELOG.md has no section for ${version}: add '## ${version} - DATE'`);
  const tag = `v${version}`;
  const tagged = git(root, 'rev-parse', '--quiet', '--verify', `refs/tags/${tag}^{commit}`);
  if (tagged && tagged !== git(root, 'rev-parse', 'HEAD')) {
    throw new Problem(
      `${tag} already exists at another commit: check it out, or raise the version in package.json`,
    );
  }
  return { version, notes };
}

/** Returns the output of git; null where it fails. */
function git(root: string, ...args: string[]): string | null {
  const { success, stdout } = Bun.spawnSync(['git', '-C', root, ...args], { stderr: 'ignore' });
  return success ? stdout.toString().trimEnd() : null;
}

/**
 * Returns the section of a changelog about a version, with the version as its title; null where it is
 * missing or empty.
 * @param changelog in the form of Keep a Changelog: `## 1.2.3 - 2026-11-22`, also with `[1.2.3]`
 */
export function notesOf(changelog: string, version: string): string | null {
  const [, ...parts] = changelog.split(/^## /m);
  const isOfVersion = new RegExp(`^\\[?${RegExp.escape(version)}\\]?(?![\\w.-])`);
  const part = parts.find((one) => isOfVersion.test(one));
  const text = part?.slice(part.indexOf('\n')).trim();
  return text ? `# Wharf ${version}\n\n${text}\n` : null;
}

/** Returns a line for each file of a folder, sorted by name, as `sha256sum --check` reads them. */
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
 * Makes the files of a release in dist/release, all of them or none. Throws Problem where the commit can't
 * be released.
 */
async function release(arches: Arch[]) {
  const { version, notes } = await checkRelease(root);
  // The files are copied to a web server as they are, so everybody must be able to read them.
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

async function run() {
  const { values } = parseArgs({ options: { arch: { type: 'string', multiple: true } } });
  const requested = values.arch ?? ARCHES;
  const arches = ARCHES.filter((arch) => requested.includes(arch));
  const unknown = requested.find((one) => !ARCHES.some((arch) => arch === one));
  if (unknown) throw new Problem(`unknown --arch ${unknown}: use ${ARCHES.join(' or ')}`);
  await release(arches);
}

if (import.meta.main) await runProgram(run);
