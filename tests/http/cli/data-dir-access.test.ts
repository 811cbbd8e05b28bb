import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { chmod, chown, copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../support/server/command.ts';
import { freePort } from '../../support/server/free-port.ts';
import { migratedSqlite } from '../../support/server/migrated-database.ts';
import {
  asOrdinaryUser,
  canBeOrdinary,
  folderOfOrdinaryUser,
  ordinaryUid,
} from '../../support/server/ordinary-user.ts';

const isRoot = process.getuid?.() === 0;
const own = await folderOfOrdinaryUser();
let dataDir = '';

afterEach(async () => {
  if (dataDir) await chmod(dataDir, 0o700);
});
afterAll(own.remove);

/** Creates a DATA_DIR of the ordinary user with everything that a server has left in it. */
async function stoppedServer() {
  dataDir = await mkdtemp(join(own.folder, 'data-'));
  const folders = ['storage', 'storage/objects', 'storage/tmp', 'work', 'outbox', 'backups'];
  for (const name of folders) await mkdir(join(dataDir, name), { mode: 0o700 });
  await copyFile(await migratedSqlite(), join(dataDir, 'wharf.db'));
  await writeFile(join(dataDir, 'secret'), 'a'.repeat(64));
  await writeFile(join(dataDir, 'lock.db'), '');
  if (isRoot) Bun.spawnSync(['chown', '-R', `${ordinaryUid}:${ordinaryUid}`, dataDir]);
}

/** Runs a command. The server's reason not to start is a line of its log, of which the text is returned. */
async function run(args: string[]) {
  const settings = { DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: String(await freePort()) };
  const done = await runCommand(args, settings, { program: asOrdinaryUser });
  if (args[0] !== 'serve') return done;
  const { level, msg } = JSON.parse(done.stderr);
  expect(level).toBe('error');
  return { ...done, stderr: `${msg}\n` };
}

const REMEDY = () => `Run: chmod -R u+rwX ${dataDir}\n`;

describe.skipIf(!canBeOrdinary)('a part of DATA_DIR that can not be used', () => {
  test.each([
    ['serve', '', 0o500, 'written to'],
    ['serve', 'wharf.db', 0o400, 'written to'],
    ['serve', 'lock.db', 0o400, 'written to'],
    ['serve', 'secret', 0o200, 'read'],
    ['serve', 'storage', 0o500, 'written to'],
    ['serve', 'storage/tmp', 0o500, 'written to'],
    ['serve', 'work', 0o500, 'written to'],
    ['serve', 'outbox', 0o500, 'written to'],
    ['serve', 'backups', 0o500, 'written to'],
    ['fsck', '', 0o500, 'written to'],
    ['fsck', 'wharf.db', 0o200, 'read'],
    ['admin ban a@example.com', '', 0o500, 'written to'],
    ['admin ban a@example.com', 'wharf.db', 0o400, 'written to'],
    ['rotate-secret', 'wharf.db', 0o400, 'written to'],
    ['backup TARGET', '', 0o500, 'written to'],
    ['backup TARGET', 'wharf.db', 0o400, 'written to'],
  ])(
    'is told by %s about "%s" in one line, with the command that mends it',
    async (args, name, mode, use) => {
      await stoppedServer();
      const path = join(dataDir, name);
      await chmod(path, mode);
      const target = join(own.folder, 'backup');
      const { status, stdout, stderr } = await run(args.replace('TARGET', target).split(' '));
      expect([status === 0, stdout, stderr]).toEqual([
        false,
        '',
        `${path} can't be ${use} by user ${ordinaryUid}. ${REMEDY()}`,
      ]);
    },
  );

  test('is told by doctor too, beside all other checks', async () => {
    await stoppedServer();
    await chmod(join(dataDir, 'secret'), 0o200);
    const { status, stdout, stderr } = await run(['doctor', '--json']);
    const findings = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(status).toBe(1);
    expect(findings[0]).toEqual({
      name: 'access',
      ok: false,
      text: `${join(dataDir, 'secret')} can't be read by user ${ordinaryUid}`,
      change: REMEDY().trim(),
    });
    expect(findings.at(-1).name).toBe('server');
    expect(stderr).not.toContain('  at ');
  });

  test('is told where a folder is missing and may not be made', async () => {
    await stoppedServer();
    const outer = dataDir;
    await chmod(outer, 0o500);
    dataDir = join(outer, 'data');
    const { status, stderr } = await run(['serve']);
    dataDir = outer;
    const path = join(outer, 'data');
    expect([status, stderr]).toEqual([
      1,
      `${path} can't be created by user ${ordinaryUid}. As root, run: install -d -m 700 -o ${ordinaryUid} -g ${ordinaryUid} ${path}\n`,
    ]);
  });

  test.skipIf(!isRoot)('belongs to somebody else, so that root has to give it away', async () => {
    await stoppedServer();
    const path = join(dataDir, 'wharf.db');
    await chown(path, 0, 0);
    expect((await run(['serve'])).stderr).toBe(
      `${path} can't be written to by user ${ordinaryUid}. As root, run: chown -R ${ordinaryUid}:${ordinaryUid} ${dataDir}\n`,
    );
  });

  test.skipIf(!isRoot)('is mounted read-only', async () => {
    await stoppedServer();
    const mount = (...args: string[]) => Bun.spawnSync(['mount', ...args, dataDir]).exitCode;
    if (mount('--bind', dataDir) !== 0) return;
    try {
      expect(mount('-o', 'remount,bind,ro')).toBe(0);
      for (const args of [['serve'], ['fsck'], ['backup', join(own.folder, 'backup')]]) {
        expect((await run(args)).stderr).toBe(
          `${dataDir} can't be written to by user ${ordinaryUid}, because it is mounted read-only. As root, run: mount -o remount,rw ${dataDir}\n`,
        );
      }
    } finally {
      Bun.spawnSync(['umount', dataDir]);
    }
  });
});
