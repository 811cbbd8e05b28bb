import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../support/client/wait.ts';
import { runCommand } from '../../support/server/command.ts';
import { sharedServer } from '../../support/server/server.ts';
import { startServerProcess } from '../../support/server/server-process.ts';

const server = await sharedServer({ CDN_URL: 'https://cdn.example.com/cdn' });
/** Returns the status of the response to a request with this Host header, however wrong it is. */
const statusAt = (path: string, host: string) =>
  new Promise<number>((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    );
    socket.on('error', reject);
    socket.once('data', (bytes) => {
      resolve(Number(bytes.toString().split(' ')[1]));
      socket.destroy();
    });
  });

test.each(['a b', '[::', 'a?b', '%zz'])(
  'the host %p is refused and no failure of ours',
  async (host) => {
    expect(await statusAt('/login', host)).toBe(400);
  },
);

test('a host that delivers serves nothing else, however it is written', async () => {
  for (const host of ['cdn.example.com', 'CDN.example.com', 'cdn.example.com:80']) {
    expect(await statusAt('/login', host)).toBe(404);
  }
  expect(await statusAt('/login', new URL(server.url).host)).toBe(200);
});

test('an address that is taken is told in one line', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wharf-taken-'));
  const { port } = new URL(server.url);
  const done = await runCommand(['serve'], { DATA_DIR: dataDir, PORT: port });
  expect(done.status).toBe(1);
  expect(done.stderr).toMatch(
    /^Can't listen on http:\/\/127\.0\.0\.1:\d+: .* Check PORT and HOST\.\n$/,
  );
  await rm(dataDir, { recursive: true });
});

test.each([
  [{}, true],
  [{ TRUST_PROXY: '1' }, false],
])(
  'the start says that clients behind a proxy count as one: with %p %p',
  async (env, isExpected) => {
    const proxied = await startServerProcess({ env: { APP_URL: 'https://a.example.com', ...env } });
    // It is healthy before it has said so.
    const log = await until(async () => {
      const text = await proxied.log();
      return text.includes('Press Ctrl+C to stop.') && text;
    });
    await proxied.stop();
    expect(log.includes('TRUST_PROXY is not set')).toBe(isExpected);
  },
);
