import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openObjects } from '../../../server/adapters/objects.ts';
import { until } from '../../support/client/wait.ts';
import { freePort } from '../../support/server/free-port.ts';
import { programCommand } from '../../support/server/program.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';
import { engineSettings } from '../../support/server/test-engine.ts';

let server: TestServer;
let folder: string;
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wharf-closed-'));
  server = await startServer();
});

const SHELL = '{ "$@" & echo $! >pid; wait $!; echo $? >code; } 2>told | :';

/** Starts a command whose output nobody reads. Its standard error is in the file `told`. */
async function unread(args: string[], dataDir: string, env: Record<string, string> = {}) {
  const cwd = await mkdtemp(join(folder, 'run-'));
  const settings = { DATA_DIR: dataDir, ...(await engineSettings(dataDir)) };
  const child = Bun.spawn(['sh', '-c', SHELL, 'sh', ...programCommand, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...settings, APP_URL: server.url, ...env },
    stdin: 'ignore',
  });
  const read = (file: string) => readFile(join(cwd, file), 'utf8').catch(() => '');
  return { child, read };
}

test('a command that only looks ends without a word when nobody reads on', async () => {
  const objects = await openObjects(server.config.storage);
  await objects.put('f/nobody/nothing/x', new Blob(['xyz']).stream());
  for (const args of [['doctor'], ['doctor', '--json'], ['fsck']]) {
    const { child, read } = await unread(args, server.dataDir);
    await child.exited;
    expect([args, await read('told'), await read('code')]).toEqual([args, '', '141\n']);
  }
});

test('a server whose log nobody reads serves on, and stops as any other', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { child, read } = await unread(['serve'], join(folder, 'data'), {
    APP_URL: url,
    PORT: new URL(url).port,
  });
  const isReachable = () =>
    fetch(`${url}/login`).then(
      (response) => response.ok,
      () => false,
    );
  await until(isReachable);
  // Each request logs a line, and the log is flushed every 100 ms.
  for (let i = 0; i < 5; i += 1) {
    await Bun.sleep(120);
    expect(await isReachable()).toBe(true);
  }
  process.kill(Number(await read('pid')));
  await child.exited;
  expect([await read('told'), await read('code')]).toEqual(['', '0\n']);
});
