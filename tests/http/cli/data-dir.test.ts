import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBucket, signUp, uploadFile } from '../../support/client/api.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { startServerProcess } from '../../support/server/server-process.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wharf-data-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the group or other users may do with the folder, or with anything in it. */
async function readableByOthers(dataDir: string): Promise<string[]> {
  const names = await readdir(dataDir, { recursive: true });
  const modes = await Promise.all(
    ['.', ...names].map(async (name) => ({ name, mode: (await stat(join(dataDir, name))).mode })),
  );
  return modes
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ name, mode }) => `${name} ${(mode & 0o777).toString(8)}`);
}

test('a folder that everybody could read is private after the start, and so is what is written to it', async () => {
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  await chmod(dataDir, 0o755);
  await writeFile(join(dataDir, 'lock.db'), '', { mode: 0o644 });

  const server = await startServerProcess({ dataDir });
  try {
    const user = await signUp(server);
    const bucket = await createBucket(server, user.token);
    await uploadFile(server, bucket, 'image', { webp: 'yes' }, await photo(), 'p.jpg');
    expect(await readdir(dataDir)).toContain('storage');
    expect(await readableByOthers(dataDir)).toEqual([]);
  } finally {
    await server.stop();
  }
});
