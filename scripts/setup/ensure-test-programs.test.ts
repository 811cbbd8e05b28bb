import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from './debian.mjs';
import { missingLine } from './ensure-test-programs.mjs';
import { TEST_PROGRAMS } from './test-programs.mjs';
import { runNode, temporaryFolder, writeProgram } from './testing/fake-bin.ts';

const DEBIAN = 'ID=debian\n';
const UBUNTU = 'ID=ubuntu\nID_LIKE=debian\n';

let root: string;
beforeEach(async () => {
  root = await temporaryFolder();
});
afterEach(() => rm(root, { recursive: true }));

const machine = (changes: Partial<Machine> = {}): Machine => ({
  uid: 1000,
  osRelease: DEBIAN,
  path: `${root}/bin`,
  hasSystemd: false,
  ...changes,
});

/**
 * Returns the script of an apt-get that records its calls, and puts a program with the package's name on
 * PATH unless it fails first.
 */
const fakeApt = (fails = '') =>
  writeProgram(
    join(root, 'bin/apt-get'),
    `/bin/echo $2 $5 >> $CALLS
    ${fails}
    [ $2 = update ] || { /bin/cp $0 ${root}/bin/$5; }`,
  );

/** Runs `ensureTestPrograms`. Each program is in a package of its name, and is installed when it is on PATH. */
function ensure(programs: object[], changes: Partial<Machine> = {}) {
  const code = `import { ensureTestPrograms } from '${import.meta.dir}/ensure-test-programs.mjs';
    import { runProgram } from '${import.meta.dir}/problem.mjs';
    import { findProgram } from '${import.meta.dir}/programs.mjs';
    const programs = ${JSON.stringify(programs)}.map((one) => ({
      purpose: 'tests', packages: [one.name], ...one,
      isInstalled: () => findProgram([one.name], process.env.PATH) !== null,
    }));
    await runProgram(async () => {
      const machine = ${JSON.stringify(machine(changes))};
      console.log(await ensureTestPrograms('${root}', { machine, programs, policy: '${root}/policy' }));
    });`;
  return runNode(code, { PATH: `${root}/bin`, CALLS: join(root, 'calls') });
}

const calls = async () => (await Bun.file(join(root, 'calls')).text()).trim().split('\n');

describe('a machine that lacks programs', () => {
  test('and is not run by root is told all of them in one line, with the command', async () => {
    await fakeApt();
    const { output, errors, status } = await ensure([{ name: 'one' }, { name: 'two' }]);
    expect({ errors, status }).toEqual({ errors: '', status: 0 });
    expect(output).toBe(
      'Not installed: one (tests), two (tests). The tests that need them are skipped. To install them: sudo apt-get install one two\n' +
        "{ missing: [ 'one', 'two' ] }\n",
    );
    expect(await Bun.file(join(root, 'calls')).exists()).toBe(false);
  });

  test('and is run by root gets those that are missing', async () => {
    await fakeApt();
    await writeProgram(join(root, 'bin/two'), '');
    const programs = [{ name: 'one' }, { name: 'two' }, { name: 'three' }];
    const { output } = await ensure(programs, { uid: 0 });
    expect(output).toBe('Installing what the tests need: one, three.\n{ missing: [] }\n');
    expect(await calls()).toEqual(['update', 'install one', 'install three']);
  });

  test('and has no network goes on without them, and says why in one line', async () => {
    await fakeApt('[ $2 = update ] || { /bin/echo "E: Failed to fetch" >&2; exit 100; }');
    const { output, status } = await ensure([{ name: 'one' }, { name: 'two' }], { uid: 0 });
    expect(status).toBe(0);
    expect(output.split('\n')).toEqual([
      'Installing what the tests need: one, two.',
      'Not everything could be installed: apt-get install failed: E: Failed to fetch',
      'Not installed: one (tests), two (tests). The tests that need them are skipped. To install them: apt-get install one two',
      "{ missing: [ 'one', 'two' ] }",
      '',
    ]);
    expect(await calls()).toEqual(['update', 'install one']);
  });

  test('and whose lists of packages cannot be read goes on, too', async () => {
    await fakeApt('/bin/echo "E: Could not get lock" >&2; exit 100');
    const { output, status } = await ensure([{ name: 'one' }], { uid: 0 });
    expect(status).toBe(0);
    expect(output).toContain('apt-get update failed: E: Could not get lock');
    expect(output).toContain("{ missing: [ 'one' ] }");
  });

  test('one that the system does not offer keeps no other from being installed', async () => {
    await fakeApt('[ "$5" != one ] || { /bin/echo "E: Unable to locate package one"; exit 100; }');
    const { output } = await ensure([{ name: 'one' }, { name: 'two' }], { uid: 0 });
    expect(output).toContain('apt-get install failed: E: Unable to locate package one\n');
    expect(output).toContain("{ missing: [ 'one' ] }");
  });

  test('where systemd runs, no service is installed that would start at every boot', async () => {
    await fakeApt();
    const programs = [{ name: 'one', isService: true }, { name: 'two' }];
    const { output } = await ensure(programs, { uid: 0, hasSystemd: true });
    expect(await calls()).toEqual(['update', 'install two']);
    expect(output).toContain(
      'To install them: apt-get install one (this also starts one at every boot)\n',
    );
  });

  test('without one that the server needs, nothing goes on', async () => {
    const { output, errors, status } = await ensure([{ name: 'one', isRequired: true }]);
    expect({ output, status }).toEqual({ output: '', status: 1 });
    expect(errors).toMatch(/^wharf: Not installed: one \(tests\)\. To install them: [^\n]+\n$/);
  });
});

test('a machine that has all of them hears nothing', async () => {
  await writeProgram(join(root, 'bin/one'), '');
  expect(await ensure([{ name: 'one' }], { uid: 0 })).toEqual({
    output: '{ missing: [] }\n',
    errors: '',
    status: 0,
  });
});

describe('the line of what is missing', () => {
  const chromium = TEST_PROGRAMS.filter(({ name }) => name === 'Chromium');

  test("names Debian's Chromium on Debian, and Playwright's elsewhere", async () => {
    await fakeApt();
    expect(missingLine(chromium, machine())).toEndWith(
      'sudo apt-get install chromium-headless-shell',
    );
    const playwright = 'node_modules/.bin/playwright install --with-deps chromium';
    expect(missingLine(chromium, machine({ osRelease: UBUNTU }))).toEndWith(`: ${playwright}`);
  });

  test('has the page of a program that no package has, and installs nothing for it', async () => {
    await fakeApt();
    const page = 'https://one.example/install';
    const programs = [{ name: 'one', packages: [], page }, { name: 'two' }];
    const { output, status } = await ensure(programs, { uid: 0 });
    expect(status).toBe(0);
    expect(output).toBe(
      'Installing what the tests need: two.\n' +
        `Not installed: one (tests, ${page}). The tests that need them are skipped.\n` +
        "{ missing: [ 'one' ] }\n",
    );
    expect(await calls()).toEqual(['update', 'install two']);
  });

  test('is one command for all that the tests may need', async () => {
    await fakeApt();
    const line = missingLine(TEST_PROGRAMS, machine());
    expect(line).not.toContain('\n');
    expect(line).toEndWith(
      'sudo apt-get install ffmpeg chromium-headless-shell postgresql pgbouncer radosgw ceph-mon ceph-osd ceph-common python3 python3-boto3 python3-pytest python3-isodate python3-munch python3-requests python3-tz awscli s3cmd rclone restic nginx caddy iproute2 iptables curl wget shellcheck systemd',
    );
  });
});
