import { dlopen } from 'bun:ffi';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmod, chown, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { landlockVersion } from '../../media/sandbox/libc.ts';
import { createBucket, signUp } from '../support/client/api.ts';
import { until } from '../support/client/wait.ts';
import { deliverPhoto, deliverPrivateVideo } from '../support/fixtures/main-job.ts';
import {
  analyze,
  LIBSECCOMP,
  systemdAnalyze,
  UNIT,
  USER_ID,
  unitPrefix,
} from '../support/fixtures/unit-file.ts';
import { builtProgram } from '../support/server/program.ts';
import { type ServerProcess, startServerProcess } from '../support/server/server-process.ts';
import { sweepTemporary } from '../support/server/sweep.ts';

/** The exposure by the scale of systemd 252, on which less is better. The program needs what is left. */
const MAX_EXPOSURE = 1.7;
const PREFIX = 'wharf-unit-';
const isOffline = systemdAnalyze !== null && analyze('--help').stdout.includes('--offline');

let folder: string;
beforeAll(async () => {
  await sweepTemporary(PREFIX);
  folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes a copy of the unit whose program exists on this machine, and returns its path. */
async function unitWith(change: (text: string) => string): Promise<string> {
  const text = (await Bun.file(UNIT).text()).replace('/usr/local/bin/wharf', process.execPath);
  const path = join(folder, 'wharf.service');
  await Bun.write(path, change(text));
  return path;
}

describe.skipIf(!systemdAnalyze)('systemd-analyze verify', () => {
  /** Other units of the machine, which ours refers to, may have faults of their own. */
  const faultsOf = (path: string) =>
    analyze('verify', '--man=no', path)
      .stderr.split('\n')
      .filter((line) => line.includes('wharf'));

  test('finds nothing to say about the unit', async () => {
    expect(faultsOf(await unitWith((text) => text))).toEqual([]);
  });

  test.each([
    ['a misspelt directive', 'ProtectHome=', 'ProtectHouse='],
    ['a wrong value', 'KillMode=mixed', 'KillMode=mixture'],
    ['a program that is not there', process.execPath, '/usr/local/bin/no-such-program'],
  ])('finds %s', async (_, from, to) => {
    expect(faultsOf(await unitWith((text) => text.replace(from, to)))).not.toEqual([]);
  });
});

test.skipIf(!isOffline)(
  `systemd-analyze security --offline finds the unit no more exposed than ${MAX_EXPOSURE}`,
  async () => {
    const path = await unitWith((text) => text);
    const { stdout } = analyze('security', '--offline=true', path);
    const exposure = Number(/exposure level for wharf\.service: ([\d.]+)/.exec(stdout)?.[1]);
    expect(exposure).toBeLessThanOrEqual(MAX_EXPOSURE);
  },
);

const succeeds = (...command: string[]) =>
  Bun.spawnSync(command, { stdio: ['ignore', 'ignore', 'ignore'] }).success;

/** The test needs root to use another user's namespace, libseccomp for the filter, and the built program. */
function canFilter() {
  if (!builtProgram || !systemdAnalyze || process.getuid?.() !== 0) return false;
  if (!succeeds('unshare', '--user', '--keep-caps', '--', '/bin/true')) return false;
  try {
    dlopen(LIBSECCOMP, { seccomp_init: { args: ['u32'], returns: 'ptr' } }).close();
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!canFilter())(
  'as root with libseccomp: with the system calls and the user namespace of the unit, the built file',
  () => {
    let server: ServerProcess;

    beforeAll(async () => {
      // Other users may not be able to enter the folder of the sources.
      const program = join(folder, 'wharf');
      await copyFile(builtProgram ?? '', program);
      const dataDir = join(folder, 'data');
      await mkdir(dataDir, { mode: 0o700 });
      await chown(dataDir, USER_ID, USER_ID);
      server = await startServerProcess({
        prefix: await unitPrefix(),
        program: [program],
        dataDir,
      });
    });
    afterAll(() => server?.stop());

    test('is a user of its own, behind the filter', async () => {
      const status = await Bun.file(`/proc/${server.pid()}/status`).text();
      expect(status).toMatch(new RegExp(`^Uid:\\t${USER_ID}\\t`, 'm'));
      expect(status).toMatch(/^Seccomp:\t2$/m);
      expect(status).toMatch(/^CapEff:\t0+$/m);
    });

    test('puts every wall around ffmpeg that the machine lets its user put', async () => {
      const { confinement } = await until(async () => {
        const health = await (await fetch(`${server.url}/health`)).json();
        return health.confinement !== null && health;
      });
      const images = {
        unprivileged: true,
        noNetwork: true,
        noNamespaces: true,
        ownFilesOnly: landlockVersion() > 0,
        limits: true,
        diesWithParent: true,
      };
      expect(confinement).toEqual({ images, videos: { ...images, lowPriority: true } });
    });

    test('does the main job: account, bucket, WebP, HLS', async () => {
      const bucket = await createBucket(server, (await signUp(server)).token);
      await deliverPhoto(server, bucket);
      await deliverPrivateVideo(server, bucket);
    });
  },
);
