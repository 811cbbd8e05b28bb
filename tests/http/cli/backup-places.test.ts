import { afterAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Of } from '../../../server/cli/backup/copy.ts';
import { openManifest } from '../../../server/cli/backup/manifest-store.ts';
import { runCommand } from '../../support/server/command.ts';
import { sharedBucket } from '../../support/server/server.ts';

const SECRET = 'a secret that stands in no file at all';
const { server } = await sharedBucket({ DATABASE_URL: '', APP_SECRET: SECRET });
const base = await mkdtemp(join(tmpdir(), 'wharf-places-'));
afterAll(() => rm(base, { recursive: true, force: true }));

const backup = (folder: string, secret = SECRET) =>
  runCommand(['backup', folder], { DATA_DIR: server.dataDir, APP_SECRET: secret });

test('a folder that holds other things is left as it is, whoever asks for a backup into it', async () => {
  const folder = join(base, 'other');
  const picture = join(folder, 'storage/objects/f/picture');
  await mkdir(join(folder, 'storage/objects/f'), { recursive: true });
  await Bun.write(picture, 'of another server');
  await chmod(folder, 0o755);
  expect(await backup(folder)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('is not empty and was not created by'),
  });
  expect(existsSync(picture)).toBe(true);
  expect((await stat(folder)).mode & 0o777).toBe(0o755);
  expect(await readdir(folder)).toEqual(['storage']);
});

test('without the secret that the server was given there is no backup, and none is made up', async () => {
  const folder = join(base, 'secret');
  for (const wrong of ['', 'another secret that stands in no file']) {
    expect(await backup(folder, wrong)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Set APP_SECRET to the value the server uses'),
    });
  }
  expect(existsSync(join(server.dataDir, 'secret'))).toBe(false);
  expect(existsSync(folder)).toBe(false);
  expect(await backup(folder)).toMatchObject({ status: 0 });
  expect(await Bun.file(join(folder, 'secret')).text()).toBe(SECRET);
});

test('a backup that is killed when its database has just taken its place can be restored', async () => {
  const folder = join(base, 'killed');
  await backup(folder);
  const manifest = openManifest(join(folder, 'manifest.db'));
  const hash = await sha256Of(Bun.file(join(folder, 'wharf.db')));
  manifest.expect(hash);
  manifest.finish('a run of before', 'the database of before');
  manifest.close();
  const target = join(base, 'restored');
  await Bun.write(join(target, 'lock.db'), '');
  const done = await runCommand(['restore', folder], { DATA_DIR: target, APP_SECRET: SECRET });
  expect(done).toMatchObject({ status: 0, stdout: '' });
});
