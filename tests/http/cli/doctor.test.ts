import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../../../server/cli/doctor/finding.ts';
import { uploadFile } from '../../support/client/api.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { runCommand } from '../../support/server/command.ts';
import { freePort } from '../../support/server/free-port.ts';
import { sharedBucket } from '../../support/server/server.ts';
import { engineSettings } from '../../support/server/test-engine.ts';
import { nginxPath, startNginx } from '../../support/services/nginx.ts';

const { server, bucket } = await sharedBucket();
await uploadFile(server, bucket, 'image', { access: 'public' }, await photo(), 'a b.jpg');

async function doctor(appUrl: string, env: Record<string, string> = {}, args = ['--json']) {
  const settings = { DATA_DIR: server.dataDir, ...(await engineSettings(server.dataDir)) };
  const done = await runCommand(['doctor', ...args], { ...settings, APP_URL: appUrl, ...env });
  const lines = args.includes('--json') ? done.stdout.split('\n').filter(Boolean) : [];
  const findings = lines.map((line) => JSON.parse(line) as Finding);
  return {
    ...done,
    findings,
    wrong: findings.filter(({ ok }) => !ok).map(({ name }) => name),
  };
}

async function behindNginx<Result>(settings: string, use: (url: string) => Promise<Result>) {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-doctor-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const block = `access_log off;
server {
  listen 127.0.0.1:${port};
  ${settings.replaceAll('ORIGIN', server.url)}
}`;
  const nginx = await startNginx(folder, block, url);
  try {
    return await use(url);
  } finally {
    nginx.kill();
    await nginx.exited;
    await rm(folder, { recursive: true });
  }
}

const GOOD = `
client_max_body_size 0;
proxy_request_buffering off;
proxy_http_version 1.1;
location / { proxy_pass ORIGIN; }
location = /ws {
  proxy_pass ORIGIN;
  proxy_set_header Upgrade $http_upgrade;
  proxy_set_header Connection upgrade;
}`;
const PROXY = { TRUST_PROXY: '1' };
/** nginx with its default settings, and without ranges, as behind a cache that only fetches whole files. */
const BAD = `
location / { proxy_pass ORIGIN; proxy_set_header Range ""; max_ranges 0; }`;

test('wharf doctor finds nothing wrong with a server that stands alone, and says what it looked at', async () => {
  const { status, findings, wrong } = await doctor(server.url);
  expect([status, wrong]).toEqual([0, []]);
  expect(findings.map(({ name }) => name)).toEqual([
    'space',
    'disk',
    'ffmpeg',
    'storage',
    'database',
    'ranges',
    'mail',
    'address',
    'clock',
    'uploads',
    'websocket',
  ]);
  expect(findings.find(({ name }) => name === 'ranges')?.text).toContain('answers range requests');
  const result = await doctor(server.url, {}, []);
  expect(result.stdout).toMatch(/^ok {7}space /m);
  expect(result.stderr).toBe('No problems found.\n');
});

test.skipIf(!nginxPath)('behind nginx with good settings all is well', async () => {
  const { status, wrong } = await behindNginx(GOOD, (url) => doctor(url, PROXY));
  expect([status, wrong]).toEqual([0, []]);
});

test.skipIf(!nginxPath)('a proxy that TRUST_PROXY does not count is named', async () => {
  const { wrong, findings } = await behindNginx(GOOD, (url) => doctor(url));
  expect(wrong).toEqual(['proxy']);
  expect(findings.find(({ ok }) => !ok)?.change).toContain('Set TRUST_PROXY');
});

test.skipIf(!nginxPath)(
  'behind nginx as it comes it names uploads, ranges and WebSockets, and what to set',
  async () => {
    const { status, wrong, findings } = await behindNginx(BAD, (url) => doctor(url, PROXY));
    expect([status, wrong]).toEqual([1, ['ranges', 'uploads', 'websocket']]);
    const of = (name: string) => findings.find((one) => one.name === name);
    expect(of('uploads')).toMatchObject({
      text: 'a proxy answers a body of 2 MiB with 413',
      change: expect.stringContaining('client_max_body_size 0'),
    });
    expect(of('websocket')?.change).toContain('proxy_set_header Upgrade');
  },
);

test.skipIf(!nginxPath)('a limit between 2 and 12 MiB is found too', async () => {
  const settings = GOOD.replace('client_max_body_size 0', 'client_max_body_size 10m');
  const { findings, wrong } = await behindNginx(settings, (url) => doctor(url, PROXY));
  expect(wrong).toEqual(['uploads']);
  expect(findings.find(({ ok }) => !ok)?.text).toContain('12 MiB');
});

test('a wrong address, a mail server that is away, and a missing ffmpeg are each told with what to change', async () => {
  const port = await freePort();
  const { status, wrong, findings } = await doctor(`http://127.0.0.1:${port}`, {
    CDN_URL: `${server.url}/cdn`,
    PORT: new URL(server.url).port,
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    FFMPEG_PATH: '/nowhere',
  });
  expect([status, wrong]).toEqual([1, ['ffmpeg', 'mail', 'address']]);
  for (const { ok, change } of findings) expect(change === null).toBe(ok);
});

test('a server that is not running is one problem', async () => {
  const port = String(await freePort());
  const result = await doctor(`http://127.0.0.1:${port}`, { PORT: port }, []);
  expect(result.stdout.match(/^PROBLEM .*/gm)).toEqual([
    `PROBLEM  server     it is not running: nothing answers at http://127.0.0.1:${port} or on port ${port} of this machine`,
  ]);
  expect(result.stdout).toMatch(/^ {20}Start the server/m);
});

test('another program at the address is not taken for ours', async () => {
  const other = Bun.serve({ port: 0, fetch: () => Response.json({ version: 'x' }) });
  const { wrong } = await doctor(`http://127.0.0.1:${other.port}`);
  await other.stop(true);
  expect(wrong).toContain('address');
});
