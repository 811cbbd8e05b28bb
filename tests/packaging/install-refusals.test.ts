import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  downloader,
  INSTALL_SCRIPT,
  programOf,
  startReleases,
  TOOLS,
} from '../support/fixtures/releases.ts';

const NAME = `wharf-linux-${process.arch}`;

let releases: Awaited<ReturnType<typeof startReleases>>;
beforeEach(async () => {
  releases = await startReleases();
  releases.publish('1.0.0');
});
afterEach(() => releases.stop());

const uname = (system: string, machine: string) => ({
  uname: `[ "$1" = -s ] && echo ${system} || echo ${machine}`,
});
const tools = [...TOOLS, downloader ?? 'curl'];
const pathWith = (scripts: Record<string, string>) => releases.pathOf(tools, scripts);

describe.skipIf(!downloader)('with curl or wget, the install script', () => {
  test.each([
    ['a processor that there is no program for', uname('Linux', 'riscv64'), 'not for riscv64'],
    ['another system', uname('Darwin', 'arm64'), 'not for Darwin'],
    ['musl', { ldd: 'echo "musl libc (x86_64)" >&2; exit 1' }, 'needs glibc'],
  ])('refuses %s before it asks for anything', async (_what, scripts, reason) => {
    const { status, stdout, stderr } = await releases.run({ PATH: await pathWith(scripts) });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(new RegExp(`^wharf: [^\n]*${reason}[^\n]*\n$`));
    expect([releases.requests, await releases.written()]).toEqual([[], {}]);
  });

  test('names what it lacks: curl or wget, sha256sum, the address of the release', async () => {
    const [required, sumless] = [TOOLS, tools.filter((one) => one !== 'sha256sum')];
    const { run, pathOf } = releases;
    const stderrOf = async (env: Record<string, string>) => (await run.call(releases, env)).stderr;
    expect(await stderrOf({ PATH: await pathOf(required) })).toBe('wharf: it needs curl or wget\n');
    expect(await stderrOf({ PATH: await pathOf(sumless) })).toBe('wharf: it needs sha256sum\n');
    expect(await stderrOf({ WHARF_RELEASE_URL: '' })).toMatch(
      /^wharf: set WHARF_RELEASE_URL .*\n$/,
    );
    expect([releases.requests, await releases.written()]).toEqual([[], {}]);
  });

  test('takes the program for arm64 on such a machine', async () => {
    releases.publish('1.0.0-arm', 'arm64');
    await releases.run({ PATH: await pathWith({ ffmpeg: '', ...uname('Linux', 'aarch64') }) });
    const { 'prefix/bin/wharf': installed } = await releases.written();
    expect(installed).toBe(programOf('1.0.0-arm'));
  });

  test.each([NAME, `${NAME}-licenses.txt`, 'SHA256SUMS'])(
    'refuses %s when it is cut off on its way',
    async (name) => {
      releases.cutOff.add(name);
      const { status, stdout, stderr } = await releases.run();
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`wharf: could not download ${releases.url}/${name}\n`);
      expect(await releases.written()).toEqual({});
    },
  );

  test('refuses a program that does not start here', async () => {
    releases.files.set(NAME, '#!/bin/sh\nexit 1\n');
    releases.sum();
    const { status, stdout, stderr } = await releases.run();
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe('wharf: the program of this release does not start on this machine\n');
    expect(await releases.written()).toEqual({});
  });

  test('says in one line that it may not write where it should', async () => {
    const { status, stderr } = await releases.run({ PREFIX: '/proc/nowhere' });
    expect(status).toBe(1);
    expect(stderr).toBe(
      "wharf: it can't write to /proc/nowhere/bin: run it as root, or set PREFIX\n",
    );
  });

  test('does nothing when the script itself was cut off, wherever', async () => {
    const script = (await Bun.file(INSTALL_SCRIPT).text()).trimEnd();
    for (let end = script.length - 1; end > 0; end -= 97)
      await releases.run({}, script.slice(0, end));
    expect([releases.requests, await releases.written()]).toEqual([[], {}]);
  });
});
