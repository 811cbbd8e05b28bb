import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../server/config/config.ts';
import { MIB } from '../../server/contract/limits.ts';
import { signUp } from '../support/client/api.ts';
import { freePort } from '../support/server/free-port.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { type Compose, ROOT, readCompose, type Service } from '../support/services/compose.ts';
import { nginxPath, startNginx } from '../support/services/nginx.ts';

const SECRETS = {
  APP_SECRET: 'a secret of thirty-two characters',
  POSTGRES_PASSWORD: 'pass',
  S3_KEY: 'GK31c2f218a2e44f485b94239e',
  S3_SECRET: 'b892c0665f0ada8a4755dae98baa3b133590e11dae3bcc1f9d769d67f16c3835',
  GARAGE_RPC_SECRET: '1799bccfd7411eddcf9ebd316bc1f5287ad12a68094e1c6ac6abde7e6feae1ec',
};

/** With these settings the configuration reads all variables. */
const EVERYTHING: Record<string, string> = {
  APP_SECRET: SECRETS.APP_SECRET,
  STORAGE_URL: 's3://files?region=x',
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
};

/** Returns the variables of an environment that the configuration never reads. Throws where it is wrong. */
function unread(environment: Record<string, string>): string[] {
  const unused = new Set(Object.keys(environment));
  const watched = new Proxy(environment, {
    get(target, name) {
      unused.delete(String(name));
      return target[String(name)];
    },
  });
  readConfig(watched);
  return [...unused];
}

const textual = (environment: Service['environment'] = {}) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, String(value ?? '')]),
  );
const dockerfile = () => Bun.file(join(ROOT, 'Dockerfile')).text();

test('a variable that nobody reads is found, and so is a wrong value', () => {
  expect(unread({ PORT: '80', PROT: '80' })).toEqual(['PROT']);
  expect(() => unread({ PORT: 'eighty' })).toThrow('PORT must be');
});

describe.each(['compose.yaml', 'compose.scale.yaml'])('%s', (name) => {
  let compose: Compose;
  let services: [string, Service][];
  let ours: [string, Service][];

  beforeAll(async () => {
    compose = await readCompose(name, SECRETS);
    services = Object.entries(compose.services);
    ours = services.filter(([, { build }]) => build === '.');
  });

  test('gives Wharf settings that it reads and takes, on top of those of the image', async () => {
    const image = /^ENV (.*)$/m.exec(await dockerfile())?.[1] ?? '';
    const fixed = Object.fromEntries(image.split(' ').map((one) => one.split('=')));
    expect(ours.length).toBeGreaterThan(0);
    for (const [, { environment }] of ours) {
      const set = Object.entries(textual(environment)).filter(([, value]) => value !== '');
      expect(unread({ ...fixed, ...Object.fromEntries(set) })).toEqual([]);
      const unreadSettings = unread({ ...fixed, ...textual(environment), ...EVERYTHING });
      expect(unreadSettings).toEqual([]);
    }
  });

  test('hands every setting on that Wharf has, but for what the image or the file fixes', () => {
    const requested = new Set<string>();
    const watched = new Proxy(EVERYTHING, {
      get(target, name) {
        requested.add(String(name));
        return target[String(name)];
      },
    });
    readConfig(watched);
    const ofTheImage = ['DATA_DIR', 'HOST', 'PORT', 'PATH', 'FFMPEG_PATH', 'AWS_SESSION_TOKEN'];
    const ofPostgres = ['DATABASE_URL', 'DATABASE_SESSION_URL', 'DATABASE_POOL_SIZE'];
    const oneMachine = name === 'compose.yaml' ? ofPostgres : [];
    for (const [, { environment = {} }] of ours) {
      const unknown = [...requested].filter((one) => !(one in environment));
      expect(unknown.filter((one) => ![...ofTheImage, ...oneMachine].includes(one))).toEqual([]);
    }
  });

  test('keeps what is written in volumes that it declares, and nothing else', () => {
    const used = services.flatMap(([, { volumes = [] }]) => volumes.map((one) => one.split(':')));
    const named = used.filter(([from = '']) => !from.startsWith('.'));
    expect(new Set(named.map(([from]) => from))).toEqual(new Set(Object.keys(compose.volumes)));
    for (const [from = '', , mode] of used.filter(([one = '']) => one.startsWith('.'))) {
      expect(existsSync(join(ROOT, from))).toBe(true);
      expect(mode).toBe('ro');
    }
    for (const [, { read_only, volumes }] of ours) {
      expect(read_only).toBe(true);
      expect(volumes?.every((one) => one.endsWith(':/data'))).toBe(true);
    }
  });

  test('waits only for services that are there and say when they are well', () => {
    for (const [, { depends_on = {} }] of services) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const service = compose.services[other];
        expect(condition).toBe('service_healthy');
        expect(service?.healthcheck !== undefined || service?.build === '.').toBe(true);
      }
    }
  });

  test('opens ports of this machine only, and its addresses are those of its services', () => {
    for (const [, { ports = [], environment }] of services) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\d+$/);
      const { DATABASE_URL, STORAGE_URL, APP_URL } = textual(environment);
      for (const url of [
        DATABASE_URL,
        new URL(STORAGE_URL || 'x:x').searchParams.get('endpoint'),
      ]) {
        if (url) expect(Object.keys(compose.services)).toContain(new URL(url).hostname);
      }
      if (APP_URL) {
        const published = services.flatMap(([, one]) => one.ports ?? []);
        expect(published.map((port) => port.split(':')[1])).toContain(new URL(APP_URL).port);
      }
    }
  });
});

test('the image runs as nobody in particular, is asked for its health, and its files exist', async () => {
  const text = await dockerfile();
  const last = text.slice(text.lastIndexOf('FROM '));
  expect(last).toStartWith('FROM debian:');
  expect(/^USER (\d+):\d+$/m.exec(last)?.[1]).not.toBe('0');
  expect(last.indexOf('USER ')).toBeGreaterThan(last.lastIndexOf('RUN '));
  expect(last).toContain('CMD ["healthy"]');
  for (const [, path = ''] of text.matchAll(/^COPY --chmod=\d+ (\S+)/gm)) {
    expect(existsSync(join(ROOT, path))).toBe(true);
  }
  const patterns = (await Bun.file(join(ROOT, '.dockerignore')).text()).match(/(?<=^!).+/gm) ?? [];
  expect(patterns.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(patterns).toContain('packaging/healthy.sh');
});

test('the unit for systemd gives Wharf settings that it reads', async () => {
  const unit = await Bun.file(join(ROOT, 'packaging/wharf.service')).text();
  const settings = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)];
  expect(unread(Object.fromEntries(settings.map(([, name, value]) => [name, value])))).toEqual([]);
});

describe('a server', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  const healthy = (PORT: string) =>
    Bun.spawn([join(ROOT, 'packaging/healthy.sh')], {
      env: { PATH: '/usr/bin:/bin', PORT },
      stdio: ['ignore', 'ignore', 'ignore'],
    }).exited;

  test('is well by the word of the check in the image; where nothing answers, it is not', async () => {
    expect(await healthy(new URL(server.url).port)).toBe(0);
    expect(await healthy(String(await freePort()))).not.toBe(0);
  });

  test.skipIf(!nginxPath)(
    'that is gone is not asked by the nginx of compose.scale.yaml, whose sockets get through',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'wharf-balanced-'));
      const [port, closedPort] = [await freePort(), await freePort()];
      const settings = (await Bun.file(join(ROOT, 'packaging/nginx.conf')).text())
        .replace('web-1:3000', `127.0.0.1:${closedPort}`)
        .replace('web-2:3000', new URL(server.url).host)
        .replace('listen 8080', `listen 127.0.0.1:${port}`);
      const url = `http://127.0.0.1:${port}`;
      const nginx = await startNginx(folder, `access_log off;\n${settings}`, url);
      try {
        for (let i = 0; i < 6; i += 1) expect((await fetch(`${url}/health`)).status).toBe(200);
        // This is more than nginx keeps in memory or accepts by default.
        const body = new FormData();
        body.set('file', new Blob([new Uint8Array(5 * MIB)]), 'a.jpg');
        const upload = await fetch(`${url}/files/upload/image/none`, { method: 'POST', body });
        expect(upload.headers.get('x-error-code')).not.toBeNull();
        const user = await signUp(server);
        const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?user_id=${user.userId}`, {
          headers: { origin: server.config.appUrl, cookie: user.client.cookies() },
        } as never);
        const firstMessage = await new Promise((resolve) => {
          socket.onopen = () => resolve(true);
          socket.onerror = () => resolve(false);
        });
        socket.close();
        expect(firstMessage).toBe(true);
      } finally {
        nginx.kill();
        await nginx.exited;
        await rm(folder, { recursive: true });
      }
    },
  );
});
