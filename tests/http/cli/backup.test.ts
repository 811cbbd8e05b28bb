import { afterAll, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, rm, stat, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openManifest } from '../../../server/cli/backup/manifest-store.ts';
import { verifyRestore } from '../../../server/cli/backup/verify-restore.ts';
import { readConfig } from '../../../server/config/config.ts';
import { MINUTE } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import {
  pauseDeletions,
  resumeDeletions,
} from '../../../server/platform/storage/deletion-pause-store.ts';
import { scheduleDelete } from '../../../server/platform/storage/pending-deletes-store.ts';
import { createBucket, signUp, uploadFile } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { fsck, runCommand } from '../../support/server/command.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

const SQLITE = { DATABASE_URL: '', APP_SECRET: '' };
let server = await startServerInProcess(SQLITE);
const bucket = await createBucket(server, (await signUp(server)).token);
const base = await mkdtemp(join(tmpdir(), 'wharf-backup-'));
afterAll(async () => {
  await server.stop();
  await rm(base, { recursive: true, force: true });
});
const picture = new Blob([(await photo()) as never]);

const backup = (folder: string, ...more: string[]) =>
  runCommand(['backup', folder, ...more], { DATA_DIR: server.dataDir });
const restore = (folder: string, dataDir: string) =>
  runCommand(['restore', folder], { DATA_DIR: dataDir });
const headers = () => ({ 'x-api-key': bucket.api_key });

const upload = () =>
  uploadFile(server, bucket, 'image', { access: 'public', webp: 'yes' }, picture, 'a.jpg');
const remove = (id: string) =>
  fetch(`${server.url}/files/${bucket.id}/${id}`, { method: 'DELETE', headers: headers() });
const hashAt = async (url: string) => {
  const response = await fetch(url);
  return response.status === 200 ? Bun.hash(await response.arrayBuffer()) : response.status;
};
const damageIn = async (folder: string) => (await fsck(folder, ['--json'], SQLITE)).findings;
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

describe('a backup', () => {
  test('made under load, and restored after everything was destroyed, delivers every acknowledged file byte for byte', async () => {
    const folder = join(base, 'loaded');
    const before: FileWire[] = [];
    for (let i = 0; i < 6; i += 1) before.push(await upload());
    before.push(await uploadFile(server, bucket, 'file', {}, new Blob(['text']), 'plain.txt'));
    const [first, second, ...others] = before;
    const hashes = new Map<string, unknown>();
    for (const { url } of before) hashes.set(url ?? '', await hashAt(url ?? ''));

    let loaded = true;
    const removed: string[] = [];
    const load = async () => {
      while (loaded) {
        const file = await upload();
        removed.push(file.id);
        if ((await remove(file.id)).status !== 204) throw new Error('the deletion was refused');
        await server.services.housekeeping.round();
      }
    };
    const work = Promise.all([load(), load()]);
    await until(async () => removed.length > 1);
    const deletion = remove(first?.id ?? '');
    const result = await backup(folder);
    await deletion;
    await remove(second?.id ?? '');
    loaded = false;
    await work;
    expect(result).toMatchObject({ status: 0, stdout: '' });
    expect(await damageIn(folder)).toEqual([]);

    const { dataDir, url: address } = server;
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
    expect(await restore(folder, dataDir)).toMatchObject({ status: 0, stdout: '' });
    expect(await damageIn(dataDir)).toEqual([]);

    server = await startServerInProcess(SQLITE, { dataDir });
    const toRestored = (url: string | null) => (url ?? '').replace(address, server.url);
    for (const { url } of others)
      expect(await hashAt(toRestored(url))).toEqual(hashes.get(url ?? '') as never);
    // A file that was deleted during the backup is either restored as it was, or not at all.
    for (const file of [first, second]) {
      expect([404, hashes.get(file?.url ?? '')]).toContain(
        await hashAt(toRestored(file?.url ?? '')),
      );
    }
    await upload();
    await server.services.housekeeping.round();
    expect(await fsck(dataDir, ['--json'], SQLITE)).toMatchObject({ status: 0, findings: [] });
  });

  test('copies only what is new the next time, and drops what is gone', async () => {
    const folder = join(base, 'twice');
    const file = await upload();
    expect((await backup(folder)).status).toBe(0);
    const first = await filesBelow(join(folder, 'storage/objects'));
    const times = new Map<string, number>();
    for (const path of first) times.set(path, (await stat(path)).mtimeMs);
    await remove(file.id);
    // A round may already be running, in which case the first call only waits for it.
    for (let i = 0; i < 2; i += 1) await server.services.housekeeping.round();
    const other = await upload();
    const repeated = await backup(folder);
    expect(repeated.stderr).toMatch(/Copied in this run: 2 objects/);
    const second = await filesBelow(join(folder, 'storage/objects'));
    expect(second.some((path) => path.includes(file.id))).toBe(false);
    expect(second.some((path) => path.includes(other.id))).toBe(true);
    for (const path of second) {
      if (!path.includes(other.id))
        expect((await stat(path)).mtimeMs).toBe(times.get(path) as number);
    }
  });

  test('is for the eyes of its owner alone, says that the secret is in it, and holds no mail', async () => {
    const folder = join(base, 'private');
    const { stderr } = await backup(folder);
    expect(stderr).toContain(`${folder}/secret decrypts its data`);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const name of ['wharf.db', 'secret']) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }
    expect(await Bun.file(join(folder, 'secret')).text()).toBe(server.config.appSecret);
    expect((await filesBelow(folder)).filter((path) => path.endsWith('.eml'))).toEqual([]);
  });

  test('that is damaged is told of, copied anew with --verify, and never restored as sound', async () => {
    const folder = join(base, 'damaged');
    await upload();
    expect((await backup(folder)).status).toBe(0);
    const [victim = '', missing = ''] = await filesBelow(join(folder, 'storage/objects'));
    const bytes = new Uint8Array(await Bun.file(victim).arrayBuffer());
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    await Bun.write(victim, bytes);
    await unlink(missing);
    const target = join(base, 'from-damaged');
    const { status, stdout } = await restore(folder, target);
    expect(status).toBe(1);
    for (const path of [victim, missing]) {
      const key = path.slice(path.indexOf('/objects/') + 9);
      expect(stdout).toMatch(new RegExp(`^damaged +${key}: `, 'm'));
      expect(await Bun.file(join(target, 'storage/objects', key)).exists()).toBe(false);
    }
    expect((await backup(folder, '--verify')).stderr).toMatch(/Copied in this run: 2 objects/);
    expect((await restore(folder, join(base, 'from-mended'))).status).toBe(0);
    await Bun.write(join(folder, 'wharf.db'), 'not the database');
    expect(await restore(folder, join(base, 'never'))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('has changed since it was backed up'),
    });
  });

  test('with --verify is restored into a scratch folder and started there, without work of its own', async () => {
    const folder = join(base, 'verified');
    const file = await upload();
    const { status, stdout, stderr } = await backup(folder, '--verify');
    expect([status, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(
      /^Restored into a scratch folder and started there\. Accounts: 1, buckets: 1, files: \d+, objects: \d+\.$/m,
    );
    expect(stderr).toMatch(/^The newest row is \d minutes old\.$/m);
    expect((await readdir(folder)).some((name) => name.startsWith('.verify'))).toBe(false);
    expect(await damageIn(folder)).toEqual([]);

    // What can't be restored is found, although the backup itself is finished.
    const [victim = ''] = (await filesBelow(join(folder, 'storage/objects'))).filter((path) =>
      path.includes(file.id),
    );
    await unlink(victim);
    await mkdir(join(folder, '.verify-killed'));
    const manifest = openManifest(join(folder, 'manifest.db'), { readOnly: true });
    const { dataDir } = server;
    const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
    const { problems } = await verifyRestore({ target: folder, manifest, config, now: Date.now() });
    manifest.close();
    const key = victim.slice(victim.indexOf('/objects/') + 9);
    expect(problems).toContain(`missing   ${key}: not restored as it was backed up`);
    expect(problems.length).toBeGreaterThan(1);
    expect((await readdir(folder)).some((name) => name.startsWith('.verify'))).toBe(false);
  });

  test('waits for nobody and lets nothing be removed meanwhile; a hold that nobody extends ends', async () => {
    const { services } = server;
    const { db } = services.database;
    const file = await upload();
    const key = `f/${bucket.id}/${file.id}/`;
    const objects = () => Array.fromAsync(services.objects.list(key));
    await pauseDeletions(db, 'somebody', Date.now() + MINUTE);
    await remove(file.id);
    await services.housekeeping.round();
    expect(await objects()).not.toEqual([]);
    expect((await fetch(file.url ?? '')).status).toBe(404);
    await resumeDeletions(db, 'somebody', Date.now());
    await pauseDeletions(db, 'dead', Date.now() - 1);
    for (let i = 0; i < 2; i += 1) await services.housekeeping.round();
    expect(await objects()).toEqual([]);
    await scheduleDelete(db, 'f/nothing/', 1);
    await services.housekeeping.round();
    await resumeDeletions(db, 'dead', Date.now());
  });

  test('is refused where it would be lost, and by a server that keeps its data elsewhere', async () => {
    expect(await backup(join(server.dataDir, 'backup'))).toMatchObject({
      status: 1,
      stderr: 'A backup inside DATA_DIR would be lost with it. Choose another folder.\n',
    });
    const nothing = await runCommand(['backup', join(base, 'x')], { DATA_DIR: join(base, 'none') });
    expect(nothing).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^No database found/),
    });
    const elsewhere = await runCommand(['backup', join(base, 'x')], {
      DATABASE_URL: 'postgres://nowhere/x',
      APP_SECRET: 's'.repeat(32),
    });
    expect(elsewhere).toMatchObject({ status: 1, stderr: expect.stringContaining('pg_dump') });
    expect((await runCommand(['backup'], {})).stderr).toBe('Name one folder: backup DIR\n');
    expect((await readdir(base)).includes('x')).toBe(false);
  });

  test('is restored only into an empty folder, and a folder that is half restored is not served', async () => {
    const folder = join(base, 'whole');
    await backup(folder);
    expect(await restore(folder, server.dataDir)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not empty'),
    });
    expect(await restore(base, join(base, 'y'))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('does not contain a finished backup'),
    });
    const half = join(base, 'half');
    await Bun.write(join(half, 'restore-unfinished'), '');
    await expect(startServerInProcess(SQLITE, { dataDir: half })).rejects.toThrow('did not finish');
  });
});
