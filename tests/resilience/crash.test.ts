import { expect, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBucket, listFiles, sendFile, signUp, waitForFile } from '../support/client/api.ts';
import { until } from '../support/client/wait.ts';
import { clip } from '../support/fixtures/make-media.ts';
import { runCommand } from '../support/server/command.ts';
import { type ServerProcess, startServerProcess } from '../support/server/server-process.ts';
import { engineSettings } from '../support/server/test-engine.ts';

/** The larger size takes long enough that its encoding can be interrupted. */
const SIZES = '640x360,320x180';

/** Returns the process ids of this server's ffmpegs or media processes. */
async function processes(server: ServerProcess, what: string): Promise<number[]> {
  const pids: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const read = (file: string) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '');
    const command = await read('cmdline');
    if (!command.includes(what)) continue;
    const [environment, stat] = await Promise.all([read('environ'), read('stat')]);
    const isZombie = stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
    const ours = command.includes(server.dataDir) || environment.includes(server.dataDir);
    if (ours && !isZombie) pids.push(Number(name));
  }
  return pids;
}

/** Sends SIGTERM to a process or a group; one that has ended since it was listed needs none. */
function terminate(pid: number) {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function prepared(server: ServerProcess) {
  const session = await signUp(server);
  const bucket = await createBucket(server, session.token, 'Crash');
  const list = async () => (await listFiles(server, bucket)).data;
  const upload = async () => {
    const fields = { access: 'public', resolution: SIZES };
    const movie = await clip({ width: 640, height: 360, seconds: 2 });
    return (await sendFile(server, bucket, 'video', fields, movie, 'crash.mp4')).id;
  };
  const finished = (id: string) => waitForFile(server, bucket, id);
  return { list, upload, finished };
}

/** Returns the folders of the attempts that have stored objects. */
async function attempts(server: ServerProcess): Promise<string[]> {
  const root = join(server.dataDir, 'storage/objects/f');
  const entries = await readdir(root, { recursive: true }).catch(() => []);
  return [
    ...new Set(
      entries
        .map((entry) => entry.split('/'))
        .filter((path) => path.length >= 3)
        .map((path) => path[2] ?? ''),
    ),
  ];
}

for (const victim of ['server', 'media process'] as const) {
  test(`kill -9 of the ${victim} in the middle of an encode: the file is finished, once, and no ffmpeg is left`, async () => {
    const server = await startServerProcess({ isQuick: true });
    try {
      const { list, upload, finished } = await prepared(server);
      const id = await upload();
      const encoders = await until(async () => {
        const pids = await processes(server, 'libx264');
        return pids.length > 0 && pids;
      });
      if (victim === 'server') await server.restart('SIGKILL');
      else for (const pid of await processes(server, 'media-process')) process.kill(pid, 'SIGKILL');
      await until(
        async () => !(await processes(server, 'ffmpeg')).some((pid) => encoders.includes(pid)),
      );
      const done = await finished(id);
      expect(done).toMatchObject({ id, status: 'success', width: 640, height: 360 });
      expect(await list()).toHaveLength(1);
      expect((await fetch(done.url ?? '')).status).toBe(200);
      await until(async () => (await attempts(server)).length === 1);
      expect(await processes(server, 'ffmpeg')).toEqual([]);
      // The decoder of the poster stays for some seconds.
      const work = join(server.dataDir, 'work');
      await until(async () => (await readdir(work).catch(() => [])).length === 0);
    } finally {
      await server.stop();
    }
  });
}

test('SIGTERM in the middle of an encode ends the server with 0, and the job goes on after', async () => {
  const server = await startServerProcess({ isQuick: true });
  try {
    const { upload, finished } = await prepared(server);
    const id = await upload();
    await until(async () => (await processes(server, 'libx264')).length > 0);
    // This throws where the server did not exit by itself.
    await server.restart('SIGTERM');
    expect((await finished(id)).status).toBe('success');
  } finally {
    await server.stop();
  }
});

test.each([
  ['to its process group', async (server: ServerProcess) => [-server.pid()]],
  ['to each of its processes', (server: ServerProcess) => processes(server, '')],
])('SIGTERM %s leaves nothing behind', async (_, targetsOf) => {
  const server = await startServerProcess({ isQuick: true, prefix: ['setsid'] });
  try {
    const { upload, finished } = await prepared(server);
    const id = await upload();
    await until(async () => (await processes(server, 'libx264')).length > 0);
    for (const target of await targetsOf(server)) terminate(target);
    await server.restart('SIGTERM', async () => {
      const settings = { DATA_DIR: server.dataDir, ...(await engineSettings(server.dataDir)) };
      const { status, stdout } = await runCommand(['fsck'], settings);
      expect([status, stdout]).toEqual([0, expect.not.stringContaining('job-')]);
    });
    expect((await finished(id)).status).toBe('success');
  } finally {
    await server.stop();
  }
});

test('a second server on the same data folder is refused with one line', async () => {
  const server = await startServerProcess({ isQuick: true });
  try {
    const settings = {
      DATA_DIR: server.dataDir,
      PORT: '0',
      ...(await engineSettings(server.dataDir)),
    };
    const { status, stderr } = await runCommand([], settings);
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  } finally {
    await server.stop();
  }
});
