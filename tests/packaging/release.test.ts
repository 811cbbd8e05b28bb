import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import packageJson from '../../package.json';
import { checkRelease, notesOf } from '../../scripts/release.ts';
import { builtProgram, ROOT } from '../support/server/program.ts';
import { sweepTemporary } from '../support/server/sweep.ts';

const FOLDER = 'wharf-release-';
const { version } = packageJson;
const GIT = Bun.which('git');

let folder: string;
beforeAll(async () => {
  await sweepTemporary(FOLDER);
  folder = await mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a command without anybody's git settings. Throws with its messages where it fails. */
function run(cwd: string, command: string[], env: Record<string, string> = {}): string {
  const { success, stdout, stderr } = Bun.spawnSync(command, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1', ...env },
  });
  if (!success) throw new Error(`${command.join(' ')}:\n${stdout}${stderr}`);
  return stdout.toString();
}

function commit(cwd: string) {
  run(cwd, ['git', 'init', '--quiet']);
  run(cwd, ['git', 'add', '--all']);
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
  run(cwd, ['git', ...author, 'commit', '--quiet', '--message', 'one']);
}

describe('the notes of a release', () => {
  const changelog = `# Changelog\n\n## Unreleased\n\n- New.\n\n## [1.2.3] - 2026-11-22\n
### Added\n\n- One.\n\n## 1.2.30\n\n- Two.\n\n## 1.2.3-rc.1\n\n- Less.\n\n## 1.2.2\n`;

  test('are the part of the changelog about its version, and no other', () => {
    expect(notesOf(changelog, '1.2.3')).toBe('# Wharf 1.2.3\n\n### Added\n\n- One.\n');
    expect(notesOf(changelog, '1.2.30')).toBe('# Wharf 1.2.30\n\n- Two.\n');
  });

  test('are none where that part is missing or empty', () => {
    for (const other of ['1.2.4', '1.2', '1x2.3', '1.2.2']) {
      expect(notesOf(changelog, other)).toBeNull();
    }
  });
});

describe.skipIf(!GIT)('a release is refused', () => {
  let repository: string;
  beforeAll(async () => {
    repository = join(folder, 'small');
    await Bun.write(join(repository, 'package.json'), '{"version":"1.0.0"}');
    await Bun.write(join(repository, 'CHANGELOG.md'), '## 1.0.0\n\n- All.\n');
    commit(repository);
  });
  const git = (...args: string[]) => run(repository, ['git', ...args]);

  test('where files differ from the commit, and made where they do not', async () => {
    const notes = '# Wharf 1.0.0\n\n- All.\n';
    expect(await checkRelease(repository)).toEqual({ version: '1.0.0', notes });
    await Bun.write(join(repository, 'new.ts'), '');
    await expect(checkRelease(repository)).rejects.toThrow(
      /^the working tree has uncommitted changes: .* new\.ts$/,
    );
    await rm(join(repository, 'new.ts'));
  });

  test('where its tag is another commit; where it is this one, it is made again', async () => {
    git('tag', 'v1.0.0');
    expect((await checkRelease(repository)).version).toBe('1.0.0');
    await Bun.write(join(repository, 'more.ts'), '');
    commit(repository);
    await expect(checkRelease(repository)).rejects.toThrow(
      /^v1\.0\.0 already exists at another commit/,
    );
  });

  test('where the changelog says nothing of the version', async () => {
    await Bun.write(join(repository, 'package.json'), '{"version":"1.0.1"}');
    commit(repository);
    await expect(checkRelease(repository)).rejects.toThrow(
      /^CHANGELOG\.md has no section for 1\.0\.1/,
    );
  });

  test('where there is no repository', async () => {
    await expect(checkRelease(folder)).rejects.toThrow('is not a git repository');
  });
});

/** Copies what git would commit of this project, and the packages, to a folder with another name. */
async function copyProject(to: string) {
  const listed = run(ROOT, ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  const paths = listed.split('\0').filter((path) => path && existsSync(join(ROOT, path)));
  for (const path of paths) {
    await mkdir(join(to, dirname(path)), { recursive: true });
    await copyFile(join(ROOT, path), join(to, path));
  }
  const modules = join(ROOT, 'node_modules');
  // Hard links take no space and one second, where both folders are on one disk.
  const linked = Bun.spawnSync(['cp', '-al', modules, to], { stderr: 'ignore' }).success;
  if (!linked) run(to, ['cp', '-a', modules, to]);
}

const isRepository = GIT !== null && existsSync(join(ROOT, '.git'));

describe.skipIf(!builtProgram || !isRepository)('a release made in another folder', () => {
  const program = `wharf-linux-${process.arch}`;
  let releaseFolder: string;
  beforeAll(async () => {
    const copy = join(folder, 'a/folder with another name');
    await copyProject(copy);
    await Bun.write(join(copy, 'CHANGELOG.md'), `## ${version}\n\n- This.\n`);
    commit(copy);
    const about = JSON.parse(run(folder, [builtProgram ?? '', 'version', '--json']));
    const bun = join(copy, 'node_modules/.bin/bun');
    // The program that it is compared with was built from another commit with the same files.
    const source = { WHARF_COMMIT: about.commit, WHARF_COMMIT_DATE: about.commit_date };
    run(copy, [bun, 'scripts/release.ts', '--arch', process.arch], { ...source, TZ: 'Asia/Tokyo' });
    releaseFolder = join(copy, 'dist/release');
  });

  test('holds the same program, byte for byte, as was built here', async () => {
    const [here, there] = [builtProgram ?? '', join(releaseFolder, program)];
    run(folder, ['cmp', here, there]);
    for (const beside of ['-licenses.txt', '.cdx.json']) {
      expect(await readFile(there + beside, 'utf8')).toBe(await readFile(here + beside, 'utf8'));
    }
  });

  test('holds what RELEASING.md lists, each with its sum', async () => {
    const names = (await readdir(releaseFolder)).sort();
    expect(names).toEqual([
      'RELEASE_NOTES.md',
      'SHA256SUMS',
      'install.sh',
      program,
      `${program}-licenses.txt`,
      `${program}.cdx.json`,
      'wharf.service',
    ]);
    const checked = run(releaseFolder, ['sha256sum', '--check', '--strict', 'SHA256SUMS']);
    expect(checked.match(/: OK$/gm)).toHaveLength(names.length - 1);
    const manual = await readFile(join(ROOT, 'RELEASING.md'), 'utf8');
    const general = (name: string) => name.replace(program, 'wharf-linux-x64');
    expect(names.filter((name) => !manual.includes(`\`${general(name)}\``))).toEqual([]);
  });

  test('has the notes of this version, and a program that starts', async () => {
    const notes = await readFile(join(releaseFolder, 'RELEASE_NOTES.md'), 'utf8');
    expect(notes).toBe(`# Wharf ${version}\n\n- This.\n`);
    expect(run(folder, [join(releaseFolder, program), 'version'])).toBe(`wharf ${version}\n`);
  });
});
