import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../package.json';
import {
  downloader,
  INSTALL_SCRIPT,
  programOf,
  startReleases,
  TOOLS,
} from '../support/fixtures/releases.ts';
import { builtProgram, ROOT } from '../support/server/program.ts';

const NAME = `wharf-linux-${process.arch}`;

let releases: Awaited<ReturnType<typeof startReleases>>;
beforeEach(async () => {
  releases = await startReleases();
  releases.publish('1.0.0');
});
afterEach(() => releases.stop());

for (const client of ['curl', 'wget']) {
  describe.skipIf(!Bun.which(client))(`the install script with ${client}`, () => {
    const run = async () =>
      releases.run({ PATH: await releases.pathOf([...TOOLS, client], { ffmpeg: '' }) });

    test('installs the program for this machine, with its licences', async () => {
      const target = join(releases.prefix, 'bin/wharf');
      const stdout = `Installed Wharf 1.0.0 at ${target}.\n`;
      expect(await run()).toEqual({ status: 0, stdout, stderr: '' });
      expect(await releases.written()).toEqual({
        'prefix/bin/wharf': programOf('1.0.0'),
        'prefix/share/doc/wharf/licenses.txt': 'licences of 1.0.0\n',
      });
      expect((await stat(target)).mode & 0o777).toBe(0o755);
    });

    test('upgrades it, says from what to what, and keeps the previous program', async () => {
      await releases.run();
      releases.publish('1.1.0');
      const target = join(releases.prefix, 'bin/wharf');
      const stdout = `Replaced Wharf 1.0.0 with 1.1.0 at ${target}.
The previous program is ${target}.previous.
`;
      expect(await run()).toEqual({ status: 0, stdout, stderr: '' });
      expect(await releases.written()).toEqual({
        'prefix/bin/wharf': programOf('1.1.0'),
        'prefix/bin/wharf.previous': programOf('1.0.0'),
        'prefix/share/doc/wharf/licenses.txt': 'licences of 1.1.0\n',
      });
    });

    test('asks for the sums alone when that version is there, and changes nothing', async () => {
      await releases.run();
      const before = await releases.written();
      releases.requests.length = 0;
      const stdout = `Wharf 1.0.0 is already installed at ${releases.prefix}/bin/wharf.\n`;
      expect(await run()).toEqual({ status: 0, stdout, stderr: '' });
      expect(releases.requests).toEqual(['SHA256SUMS']);
      expect(await releases.written()).toEqual(before);
    });

    const files = () => releases.files;
    test.each([
      ['a program with another sum', 'is damaged', () => files().set(NAME, programOf('6.6.6'))],
      ['licences with another sum', 'is damaged', () => files().set(`${NAME}-licenses.txt`, 'x')],
      ['a missing program', 'could not download', () => files().delete(NAME)],
      ['missing licences', 'could not download', () => files().delete(`${NAME}-licenses.txt`)],
      ['missing sums', 'could not download', () => files().delete('SHA256SUMS')],
      ['a page in place of the sums', 'does not list', () => files().set('SHA256SUMS', '<html>')],
      ['cut sums', 'does not list', () => files().set('SHA256SUMS', `ab  ${NAME}\n`)],
    ])('refuses %s, and changes nothing', async (_what, reason, damage) => {
      await releases.run();
      const before = await releases.written();
      releases.publish('1.1.0');
      damage();
      const { status, stdout, stderr } = await run();
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr.trim().split('\n').at(-1)).toMatch(new RegExp(`^wharf: .*${reason}`));
      expect(await releases.written()).toEqual(before);
    });
  });
}

describe.skipIf(!downloader)('with curl or wget, the install script', () => {
  test('replaces a program that does not start any more', async () => {
    await Bun.write(join(releases.prefix, 'bin/wharf'), 'damaged');
    const { stdout, status } = await releases.run();
    expect(status).toBe(0);
    expect(stdout).toContain('Replaced Wharf an unknown version with 1.0.0');
  });

  test('says what is to be done after it: ffmpeg, and a restart of the service', async () => {
    const systemctl = '[ "$*" = "--quiet is-active wharf" ]';
    const PATH = await releases.pathOf([...TOOLS, downloader ?? ''], { systemctl });
    const { stdout } = await releases.run({ PATH });
    expect(stdout).toContain('ffmpeg is not installed');
    expect(stdout).toContain('systemctl restart wharf');
  });
});

test.skipIf(!builtProgram || !Bun.which('curl'))(
  'the one line of README.md installs the built file, with curl',
  async () => {
    const readme = await Bun.file(join(ROOT, 'README.md')).text();
    const [line = ''] = /^curl -fsSL \S+\/install\.sh .* sh$/m.exec(readme) ?? [];
    const { files, url, prefix } = releases;
    files.set('install.sh', await readFile(INSTALL_SCRIPT));
    files.set(NAME, await readFile(builtProgram ?? ''));
    files.set(`${NAME}-licenses.txt`, await readFile(`${builtProgram}-licenses.txt`));
    releases.sum();
    const here = line.replaceAll('https://example.com/releases', url).replace('| sudo ', '| ');
    const { stdout } = await releases.run({ PATH: process.env.PATH ?? '' }, here);
    expect(stdout).toContain(`Installed Wharf ${packageJson.version} at`);
    const installed = Bun.spawnSync([join(prefix, 'bin/wharf'), 'version'], { env: {} });
    expect(installed.stdout.toString()).toBe(`wharf ${packageJson.version}\n`);
  },
);

test.skipIf(!Bun.which('shellcheck'))('shellcheck has nothing to say of the scripts', () => {
  const scripts = ['install.sh', 'healthy.sh'].map((name) => join(ROOT, 'packaging', name));
  const { stdout, exitCode } = Bun.spawnSync(['shellcheck', ...scripts]);
  expect([stdout.toString(), exitCode]).toEqual(['', 0]);
});
