import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../../../server/cli/doctor/finding.ts';
import { runCommand } from '../../support/server/command.ts';
import { programCommand } from '../../support/server/program.ts';
import { startServerProcess } from '../../support/server/server-process.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'wharf-network-')));
afterAll(() => rm(folder, { recursive: true, force: true }));

const dataDir = join(folder, 'data');
const mounts = join(folder, 'mountinfo');
await writeFile(
  mounts,
  `22 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 22 0:30 / ${folder} rw - nfs4 nas:/wharf rw\n`,
);
/** Runs a program to which the kernel seems to say that the folder is on NFS. */
const onNfs = [
  'unshare',
  '--mount',
  'sh',
  '-c',
  `mount --bind ${mounts} /proc/$$/mountinfo && exec "$@"`,
  'sh',
];
const canPretend = Bun.spawnSync([...onNfs, 'true'], { stderr: 'ignore' }).exitCode === 0;

const WARNING = `${dataDir} is on a network file system (nfs4), where SQLite can lose or damage the database`;
const REMEDY = 'Move DATA_DIR to a disk of this machine, or use PostgreSQL (DATABASE_URL).';

test.skipIf(!canPretend)(
  'SQLite on a network file system is warned of at the start and by doctor',
  async () => {
    const server = await startServerProcess({ isQuick: true, dataDir, prefix: onNfs });
    try {
      expect(await server.log()).toContain(`${WARNING}. ${REMEDY}`);
      const settings = { DATA_DIR: dataDir, APP_URL: server.url };
      const program = [...onNfs, ...programCommand];
      const { status, stdout } = await runCommand(['doctor', '--json'], settings, { program });
      const findings = stdout
        .trim()
        .split('\n')
        .map((line): Finding => JSON.parse(line));
      expect(status).toBe(1);
      expect(findings.filter(({ ok }) => !ok)).toEqual([
        { name: 'disk', ok: false, text: WARNING, change: REMEDY },
      ]);
    } finally {
      await server.stop();
    }
  },
);
