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
const OWN = new URL(server.url).host;

/** Returns the status of the response to a request with these Host headers, however wrong they are. */
const statusAt = (path: string, hosts: string[], method = 'GET') =>
  new Promise<number>((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const lines = hosts.map((host) => `Host: ${host}\r\n`).join('');
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`, 'latin1'),
    );
    socket.on('error', reject);
    socket.once('data', (bytes) => {
      resolve(Number(bytes.toString().split(' ')[1]));
      socket.destroy();
    });
  });

/** One path for each way in which requests reach us: pages, the API, sockets, health, and files. */
const PATHS = [
  '/login',
  '/users/profile',
  '/ws?user_id=a',
  '/health',
  '/cdn/a/b/c.jpg',
  '/nowhere',
];
const WRONG = [
  '',
  'a b',
  '[::',
  '[:::1]',
  'a?b',
  '%zz',
  'a/b',
  'a#b',
  'u@a',
  'a,b',
  'a:b',
  'a\\b',
  '\xe4',
];

test.each(WRONG.map((host) => [host]))(
  'the host %p is refused and no failure of ours',
  async (host) => {
    for (const path of PATHS) expect([path, await statusAt(path, [host])]).toEqual([path, 400]);
  },
);

test('a request with two Host headers, or without any, is refused (RFC 9112, 3.2)', async () => {
  for (const path of PATHS) {
    for (const hosts of [
      [OWN, 'other.example'],
      ['other.example', OWN],
      [OWN, OWN],
      [OWN, ''],
      [],
    ]) {
      expect([path, hosts, await statusAt(path, hosts)]).toEqual([path, hosts, 400]);
    }
  }
  for (const method of ['HEAD', 'POST', 'OPTIONS']) {
    expect(await statusAt('/cdn/a/b/c.jpg', [OWN, OWN], method)).toBe(400);
  }
});

test('hosts are accepted in every form that is valid', async () => {
  for (const host of [
    OWN,
    'localhost',
    'wharf.example:80',
    'a_b-c.example',
    '[::1]:3000',
    '127.0.0.1',
  ]) {
    expect([host, await statusAt('/login', [host])]).toEqual([host, 200]);
    expect([host, await statusAt('/cdn/a/b/c.jpg', [host])]).toEqual([host, 404]);
  }
});

test('a host that delivers serves nothing else, however it is written', async () => {
  const name = 'cdn.example.com';
  for (const host of [
    name,
    'CDN.example.com',
    `${name}:80`,
    `${name}:443`,
    `${name}.`,
    `${name}.:443`,
  ]) {
    expect([host, await statusAt('/login', [host])]).toEqual([host, 404]);
  }
  expect(await statusAt('/login', [OWN])).toBe(200);
});

test('an address that is taken is told in one line', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wharf-taken-'));
  const { port } = new URL(server.url);
  const done = await runCommand(['serve'], { DATA_DIR: dataDir, PORT: port });
  expect(done.status).toBe(1);
  expect(done.stderr).toMatch(
    /^\{"level":"error",.*"msg":"Can't listen on http:\/\/127\.0\.0\.1:\d+: .* Check PORT and HOST\."\}\n$/,
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

test.each([
  [{}, null],
  [{ HOST: '0.0.0.0' }, 'http://'],
  [{ TRUST_PROXY: '1' }, 'http://127.0.0.1:'],
  [{ TRUST_PROXY: '1', APP_URL: 'https://a.example.com' }, null],
])('the start says that nobody knows its address: with %p %p', async (env, address) => {
  const started = await startServerProcess({ isQuick: true, env: { APP_URL: '', ...env } });
  const log = await started.log();
  await started.stop();
  if (address) expect(log).toContain(`APP_URL is not set, so emails and pages link to ${address}`);
  else expect(log).not.toContain('APP_URL is not set');
});
