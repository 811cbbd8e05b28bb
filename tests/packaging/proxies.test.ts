import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeImage } from '../../bench/fixtures.ts';
import { MIB } from '../../server/contract/limits.ts';
import type { BucketDetailWire, FileWire, SessionWire } from '../../server/contract/wire.ts';
import { cookieNames } from '../../server/features/accounts/client.ts';
import { GUIDE_PAGES } from '../../server/features/docs/guide-pages.ts';
import { CERTIFICATES } from '../../server/platform/webhooks/testing/certificates.ts';
import { createBucket, form, signUp, waitForFile } from '../support/client/api.ts';
import { freePort } from '../support/server/free-port.ts';
import { ROOT } from '../support/server/program.ts';
import { type ServerProcess, startServerProcess } from '../support/server/server-process.ts';
import { sweepTemporary } from '../support/server/sweep.ts';
import { caddyPath, checkCaddy, startCaddy } from '../support/services/caddy.ts';
import {
  adapted,
  checkNginx,
  guideBlocks,
  nginxPath,
  startNginx,
} from '../support/services/nginx.ts';

const PREFIX = 'wharf-proxies-';
const [certificate] = CERTIFICATES;
const tls = { rejectUnauthorized: false };

let folder: string;
beforeAll(async () => {
  await sweepTemporary(PREFIX);
  folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  await mkdir(join(folder, 'nginx'));
  await Bun.write(join(folder, 'fullchain.pem'), certificate?.cert ?? '');
  await Bun.write(join(folder, 'privkey.pem'), certificate?.key ?? '');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns every example in a language, with its page and its text. */
async function examples(language: string): Promise<[string, string][]> {
  const matches: [string, string][] = [];
  for (const { slug } of GUIDE_PAGES) {
    for (const text of await guideBlocks(slug, language)) matches.push([slug, text]);
  }
  return matches;
}

const nginxExamples: [string, string][] = [
  ...(await examples('nginx')),
  ['packaging/nginx.conf', await Bun.file(join(ROOT, 'packaging/nginx.conf')).text()],
];
const caddyExamples = await examples('caddy');
/** The example of the section 'TLS behind a proxy'. */
const nginxWithTls = nginxExamples.find(([, text]) => text.includes('listen 443 ssl;'))?.[1] ?? '';
const [[, caddyWithTls = ''] = []] = caddyExamples;

/**
 * Adapts an example to this machine: it uses none of the ports of others, and no file outside of the
 * folder.
 */
const here = (text: string, port: number) =>
  text
    .replaceAll(/listen \d+/g, `listen 127.0.0.1:${port}`)
    .replaceAll('/etc/letsencrypt/live/files.example.com', folder)
    .replaceAll(/\/var\/(cache|log)\/nginx/g, join(folder, 'nginx'))
    .replaceAll(/web-\d:/g, '127.0.0.1:');

describe.skipIf(!nginxPath)('nginx -t', () => {
  test.each(nginxExamples)('takes the settings of %s, and warns of nothing', async (_, text) => {
    const { success, output } = await checkNginx(folder, here(text, await freePort()));
    expect(output).not.toContain('[warn]');
    expect([success, output]).toEqual([true, expect.stringContaining('test is successful')]);
  });

  test('finds a directive that is misspelt', async () => {
    const text = here(nginxWithTls, await freePort()).replace('proxy_pass', 'proxy_past');
    const { success, output } = await checkNginx(folder, text);
    expect([success, output]).toEqual([false, expect.stringContaining('"proxy_past"')]);
  });
});

describe.skipIf(!caddyPath)('caddy validate', () => {
  test.each(caddyExamples)('takes the Caddyfile of %s, and warns of nothing', async (_, text) => {
    expect(await checkCaddy(folder, text)).toEqual({ success: true, output: '' });
  });

  test('finds a directive that is misspelt', async () => {
    const { success, output } = await checkCaddy(folder, caddyWithTls.replace('proxy', 'porxy'));
    expect([success, output]).toEqual([false, expect.stringContaining('reverse_porxy')]);
  });
});

describe.each([
  {
    name: 'nginx',
    path: nginxPath,
    start: (port: number, url: string, origin: string) => {
      const replacements = { 'http://127.0.0.1:3000': origin, 'files.example.com;': 'localhost;' };
      return startNginx(folder, here(adapted(nginxWithTls, replacements), port), url);
    },
  },
  {
    name: 'caddy',
    path: caddyPath,
    start: (port: number, url: string, origin: string) => {
      const replacements = { '127.0.0.1:3000': origin, 'files.example.com': `localhost:${port}` };
      return startCaddy(folder, adapted(caddyWithTls, replacements), url);
    },
  },
])('behind $name with TLS, as the guide has it,', ({ name, path, start }) => {
  let server: ServerProcess;
  let proxy: Awaited<ReturnType<typeof start>>;
  let session: SessionWire;
  let bucket: BucketDetailWire;
  let url: string;

  beforeAll(async () => {
    if (!path) return;
    const port = await freePort();
    url = `https://localhost:${port}`;
    server = await startServerProcess({ isQuick: true, env: { APP_URL: url, TRUST_PROXY: '1' } });
    proxy = await start(port, url, name === 'nginx' ? server.url : new URL(server.url).host);
    session = await signUp(server);
    bucket = await createBucket(server, session.token, 'Pictures');
  });
  afterAll(async () => {
    proxy?.kill();
    await proxy?.exited;
    await server?.stop();
  });

  test.skipIf(!path)(`an upload and what is made of it get through: ${name}`, async () => {
    // This is more than nginx accepts by default.
    const image = new Blob([await makeImage(3 * MIB)] as never);
    const response = await fetch(`${url}/files/upload/image/${bucket.id}`, {
      method: 'POST',
      headers: { 'x-api-key': bucket.api_key },
      body: form({ access: 'public' }, image, 'large.jpg'),
      tls,
    });
    expect(response.status).toBe(201);
    const file = await waitForFile(server, bucket, ((await response.json()) as FileWire).id);
    expect(file.url).toStartWith(`${url}/cdn/`);
    const delivered = await fetch(file.url ?? '', { tls });
    expect([delivered.status, (await delivered.bytes()).length]).toEqual([200, file.size]);
  });

  test.skipIf(!path)(`a WebSocket gets through: ${name}`, async () => {
    const address = `${url.replace('http', 'ws')}/ws?user_id=${session.userId}`;
    const headers = { origin: url, cookie: `${cookieNames(url).session}=${session.token}` };
    const socket = new WebSocket(address, { headers, tls } as never);
    const firstMessage = await new Promise((resolve) => {
      socket.onopen = () => resolve(true);
      socket.onerror = (event) => resolve(event);
    });
    socket.close();
    expect(firstMessage).toBe(true);
  });
});
