import { afterAll, describe, expect, test } from 'bun:test';
import {
  chmod,
  lutimes,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  symlink,
  utimes,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY, MIB } from '../../contract/limits.ts';
import { describeObjectStore } from './conformance.ts';
import { openDiskStore } from './disk.ts';

const base = await mkdtemp(join(tmpdir(), 'wharf-disk-'));
afterAll(() => rm(base, { recursive: true, force: true }));
let roots = 0;
const newRoot = () => {
  roots += 1;
  return join(base, `root${roots}`);
};
const stream = (length: number) => new Blob([new Uint8Array(length)]).stream();
const SHM = '/dev/shm';
/** A user that owns nothing on any machine. */
const NOBODY = 65_534;
const isElsewhere = await stat(SHM).then(
  async (shm) => shm.dev !== (await stat(base)).dev,
  () => false,
);
const canMount = await tryMount();
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describeObjectStore('the disk store', async () => {
  const root = newRoot();
  return {
    store: await openDiskStore({ root }),
    leftovers: async () => (await readdir(join(root, 'tmp'))).length,
    close: () => rm(root, { recursive: true }),
  };
});

describe('the disk store by itself', () => {
  test('keeps everything from other users of the machine, whatever the umask', async () => {
    const umask = process.umask(0);
    const root = newRoot();
    const store = await openDiskStore({ root });
    await store.put('a/b', stream(1));
    const local = join(base, 'local');
    await Bun.write(local, 'x', { mode: 0o666 });
    await store.putFile('a/c', local);
    process.umask(umask);
    for (const folder of ['', 'tmp', 'objects', 'objects/a']) {
      expect(await modeOf(join(root, folder))).toBe(0o700);
    }
    for (const file of ['a/b', 'a/c']) {
      expect(await modeOf(join(root, 'objects', file))).toBe(0o600);
    }
  });

  test('leaves no empty folders behind', async () => {
    const root = newRoot();
    const store = await openDiskStore({ root });
    await store.put('a/b/c/one', stream(1));
    await store.put('a/d/e/two', stream(1));
    await store.delete('a/b/c/one');
    expect(await readdir(join(root, 'objects/a'))).toEqual(['d']);
    await store.deletePrefix('a/d/e/');
    expect(await readdir(join(root, 'objects'))).toEqual([]);
  });

  test('does not take in a link or a folder', async () => {
    const store = await openDiskStore({ root: newRoot() });
    const link = join(base, 'link');
    await symlink('/etc/passwd', link);
    await expect(store.putFile('a/link', link)).rejects.toThrow('ELOOP');
    await expect(store.putFile('a/folder', base)).rejects.toThrow('Not a file');
    expect(await Array.fromAsync(store.list(''))).toEqual([]);
    expect(await modeOf('/etc/passwd')).toBe(0o644);
  });

  test.skipIf(!isElsewhere)('moves a file in from another file system', async () => {
    const store = await openDiskStore({ root: newRoot() });
    const folder = await mkdtemp(join(SHM, 'wharf-'));
    const local = join(folder, 'file');
    await Bun.write(local, new Uint8Array(100_000).fill(7));
    expect(await store.putFile('from/afar', local)).toEqual({ size: 100_000 });
    const object = await store.open('from/afar');
    const got = new Uint8Array(await new Response(object?.body()).arrayBuffer());
    expect(got).toEqual(new Uint8Array(100_000).fill(7));
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  test('shows nothing of a put whose process was killed, and removes its temporary', async () => {
    const root = newRoot();
    const script = join(import.meta.dir, 'testing/stalled-put.ts');
    const child = Bun.spawn([process.execPath, script, root], { stdout: 'pipe' });
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      if (text.includes('halfway')) break;
    }
    const [name = ''] = await readdir(join(root, 'tmp'));
    // The last piece is still being written when the next one is asked for.
    while ((await stat(join(root, 'tmp', name))).size < 3 * MIB) await Bun.sleep(0);

    const beside = await openDiskStore({ root });
    expect(await readdir(join(root, 'tmp'))).toEqual([name]);
    child.kill('SIGKILL');
    await child.exited;
    expect(await beside.open('a/half')).toBeNull();

    const after = await openDiskStore({ root });
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
    expect(await after.open('a/half')).toBeNull();
  });

  test('a process that is killed leaves whole composed objects only', async () => {
    const root = newRoot();
    const script = join(import.meta.dir, 'testing/endless-compose.ts');
    const child = Bun.spawn([process.execPath, script, root], { stdout: 'pipe' });
    const lines = child.stdout.pipeThrough(new TextDecoderStream());
    for await (const text of lines) if (text.includes('3')) break;
    // Once more than the done ones are under way, something is being written.
    while ((await readdir(join(root, 'tmp'))).length === 0) await Bun.sleep(0);
    child.kill('SIGKILL');
    await child.exited;

    const store = await openDiskStore({ root });
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
    const whole = { composed: 12 * MIB, copied: 4 * MIB };
    for (const [folder, size] of Object.entries(whole)) {
      const found = await Array.fromAsync(store.list(`${folder}/`));
      expect(found.length).toBeGreaterThanOrEqual(3);
      expect(new Set(found.map((one) => one.size))).toEqual(new Set([size]));
    }
  });

  test('a process that is killed leaves whole small objects only', async () => {
    const root = newRoot();
    const script = join(import.meta.dir, 'testing/endless-puts.ts');
    const child = Bun.spawn([process.execPath, script, root], { stdout: 'pipe' });
    let printed = '';
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      printed += text;
      if (printed.split('\n').length > 40) child.kill('SIGKILL');
    }
    await child.exited;

    const store = await openDiskStore({ root });
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
    const found = await Array.fromAsync(store.list('small/'));
    expect(found.length).toBeGreaterThanOrEqual(40);
    const whole = [1, 2].map((byte) => Bun.hash(new Uint8Array(10_000).fill(byte)));
    for (const { key } of found) {
      const object = await store.open(key);
      const bytes = new Uint8Array(await new Response(object?.body()).arrayBuffer());
      expect(whole).toContain(Bun.hash(bytes));
    }
  });

  test('removes at start what is nobody’s, and nothing else', async () => {
    const root = newRoot();
    await mkdir(join(root, 'tmp'), { recursive: true });
    const inTmp = (name: string) => join(root, 'tmp', name);
    const parentPid = process.ppid;
    for (const name of [`${parentPid}-0a1b2c3d-new`, `${parentPid}-0a1b2c3d-old`, 'stranger']) {
      await Bun.write(inTmp(name), 'x');
    }
    await Bun.write(inTmp(`${process.pid}-0a1b2c3d-earlier-life`), 'x');
    const dayAgo = new Date(Date.now() - DAY - 1000);
    await utimes(inTmp(`${parentPid}-0a1b2c3d-old`), dayAgo, dayAgo);
    await openDiskStore({ root });
    expect(await readdir(join(root, 'tmp'))).toEqual([`${parentPid}-0a1b2c3d-new`]);
  });

  test('knows that a process of another container may live, whatever its id means here', async () => {
    const root = newRoot();
    await mkdir(join(root, 'tmp'), { recursive: true });
    const inTmp = (name: string) => join(root, 'tmp', name);
    const theirs = `${process.pid}-0a1b2c3d-in1-theirs`;
    const old = `${process.pid}-0a1b2c3d-in1-old`;
    for (const name of [theirs, old]) await Bun.write(inTmp(name), 'x');
    const dayAgo = new Date(Date.now() - DAY - 1000);
    await utimes(inTmp(old), dayAgo, dayAgo);
    // As for an object in a slot, whose link leads nowhere.
    await symlink('.none@0+5', inTmp(`${old}-link`));
    await lutimes(inTmp(`${old}-link`), dayAgo, dayAgo);
    await openDiskStore({ root });
    expect(await readdir(join(root, 'tmp'))).toEqual([theirs]);
    await openDiskStore({ root, isOnlyProcess: true });
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
  });

  test('leaves a put alone that is under way while the store is opened again', async () => {
    const root = newRoot();
    const store = await openDiskStore({ root });
    let opens = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(new Uint8Array(1000));
        await openDiskStore({ root });
        opens += 1;
        if (opens === 3) controller.close();
      },
    });
    expect(await store.put('a', body)).toEqual({ size: 3000 });
  });

  test.skipIf(!canMount)('says that the disk is full, and leaves nothing', async () => {
    const root = newRoot();
    await mkdir(root);
    Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', root]);
    try {
      const store = await openDiskStore({ root });
      const full = { status: 507, code: 'storage-full' };
      expect(await store.put('a/b', stream(2 * MIB)).catch((error) => error)).toMatchObject(full);
      expect(await store.put('a/b', stalling(2 * MIB)).catch((error) => error)).toMatchObject(full);
      const local = join(base, 'too-big');
      await Bun.write(local, new Uint8Array(2 * MIB));
      expect(await store.putFile('a/c', local).catch((error) => error)).toMatchObject(full);
      expect(await Bun.file(local).exists()).toBe(true);
      expect(await Array.fromAsync(store.list(''))).toEqual([]);
      expect(await readdir(join(root, 'tmp'))).toEqual([]);
      expect(await store.put('a/small', stream(1000))).toEqual({ size: 1000 });

      await Bun.write(join(root, 'fill'), new Uint8Array(MIB - 20_000)).catch(() => {});
      Bun.spawnSync(['sh', '-c', `cat /dev/zero > ${root}/fill2`]);
      expect(await store.check().catch((error) => error)).toMatchObject(full);
    } finally {
      Bun.spawnSync(['umount', root]);
    }
  });

  test('fails its check where it may not write', async () => {
    const root = newRoot();
    const store = await openDiskStore({ root });
    for (const folder of [base, root]) await chmod(folder, 0o711);
    await chmod(join(root, 'tmp'), 0o555);
    const isRoot = process.geteuid?.() === 0;
    // Root may write everywhere, so somebody else checks.
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      await expect(store.check()).rejects.toThrow('EACCES');
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(join(root, 'tmp'), 0o700);
    }
    await store.check();
  });

  test('fails its check when its folder is gone', async () => {
    const root = newRoot();
    const store = await openDiskStore({ root });
    await rm(root, { recursive: true });
    await expect(store.check()).rejects.toThrow('ENOENT');
  });
});

/** Returns the body of a client that sends `length` bytes and then stalls without closing the connection. */
function stalling(length: number) {
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(length)),
  });
}

async function tryMount() {
  if (process.getuid?.() !== 0) return false;
  const folder = join(base, 'mount');
  await mkdir(folder);
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  if (mounted.exitCode !== 0) return false;
  return Bun.spawnSync(['umount', folder]).exitCode === 0;
}
