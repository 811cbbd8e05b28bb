import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { MIB } from '../../../server/contract/limits.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const DOMAIN = 's3.example.test';
const { server, user, bucket } = await sharedBucketInProcess({
  ...{
    S3_PORT: '0',
    S3_DOMAIN: DOMAIN,
    CDN_URL: 'http://cdn.example.test/cdn',
    MAX_FILE_BYTES: String(8 * MIB),
  },
});
const url = server.config.s3?.url ?? '';
const { host, port } = new URL(url);
const key = await createS3Key(user);
const s3 = s3Client(server, key);
const Bucket = bucket.id;
const put = (Key: string, Body: string | Uint8Array, more = {}, client = s3) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
const text = async (Key: string, client: S3Client = s3) =>
  (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();
const presign = (Key: string, method: 'GET' | 'PUT' = 'GET', more = {}) =>
  getSignedUrl(
    s3,
    method === 'GET'
      ? new GetObjectCommand({ Bucket, Key, ...more })
      : new PutObjectCommand({ Bucket, Key }),
    { expiresIn: 600 },
  );
const codeOf = async (response: Response) => [
  response.status,
  /<Code>(.*)<\/Code>/.exec(await response.text())?.[1],
];

/** Sends bytes as they are, and returns all that comes back until the server closes the connection. */
function raw(request: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let received = '';
  const socket = connect(Number(port), '127.0.0.1', () => socket.write(request));
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  socket.on('close', () => resolve(received));
  socket.on('error', reject);
  return promise;
}

test('an error is XML with a request id, and has no body for HEAD', async () => {
  const response = await fetch(`${url}/${Bucket}/nothing`);
  const body = await response.text();
  const id = response.headers.get('x-amz-request-id') ?? '';
  expect(id).not.toBe('');
  expect(body).toContain(`<RequestId>${id}</RequestId>`);
  expect(response.headers.get('content-type')).toBe('application/xml');
  const head = await fetch(`${url}/${Bucket}/nothing`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([403, '']);
});

test('a preflight is answered as browsers send it, and refused without an origin or a method', async () => {
  const preflight = (headers: Record<string, string>) =>
    fetch(`${url}/${Bucket}/any`, { method: 'OPTIONS', headers });
  const origin = { origin: 'https://site.example' };
  const method = { 'access-control-request-method': 'PUT' };
  expect((await preflight({ ...origin, ...method })).status).toBe(200);
  for (const headers of [{}, origin, method] as Record<string, string>[]) {
    const response = await preflight(headers);
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('<Code>BadRequest</Code>'),
    ]);
  }
});

test('a key with a segment of dots is refused, and says so', async () => {
  for (const path of ['a/../b', 'a/%2e%2e/b', './a', 'a/.']) {
    const answer = await raw(
      `GET /${Bucket}/${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toContain('<Code>InvalidRequest</Code>');
  }
});

test('an unsigned request does nothing but read', async () => {
  for (const [method, path] of [
    ['PUT', `${Bucket}/x`],
    ['PUT', `${Bucket}/x?lifecycle`],
    ['DELETE', `${Bucket}/x`],
    ['POST', `${Bucket}?delete`],
    ['GET', Bucket],
    ['GET', ''],
    ['PUT', 'new-bucket'],
  ] as const) {
    const init = method === 'GET' ? {} : { method, body: 'x' };
    expect(await codeOf(await fetch(`${url}/${path}`, init))).toEqual([403, 'AccessDenied']);
  }
});

test('a client that waits to be asked for its body is asked', async () => {
  const target = new URL(await presign('expected', 'PUT'));
  const request = [
    `PUT ${target.pathname}${target.search} HTTP/1.1`,
    ...[`Host: ${host}`, 'Expect: 100-Continue', 'Content-Length: 4', 'Connection: close', '', ''],
  ].join('\r\n');
  const socket = connect(Number(port), '127.0.0.1', () => socket.write(request));
  let received = '';
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.on('data', (bytes) => {
    const isFirst = received === '';
    received += bytes.toString();
    if (isFirst) socket.write('body');
  });
  socket.on('close', () => resolve());
  await promise;
  expect(received).toMatch(/^HTTP\/1.1 100 Continue[\s\S]*HTTP\/1.1 200 OK/);
  expect(await text('expected')).toBe('body');
});

test('a body that is cut off stores nothing', async () => {
  const target = new URL(await presign('cut', 'PUT'));
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(Number(port), '127.0.0.1', () => {
    socket.write(
      `PUT ${target.pathname}${target.search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 9\r\n\r\nabc`,
      () => socket.destroy(),
    );
  });
  socket.on('close', () => resolve());
  await promise;
  expect(await refusalOf(text('cut'))).toEqual(['NoSuchKey', 404]);
});

test('a host below the domain is the bucket, and a URL for one opens no other', async () => {
  await put('by-host', 'hello');
  const target = new URL(await presign('by-host'));
  const send = (hostname: string, path: string) =>
    raw(`GET ${path}${target.search} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`);
  expect(await send(host, target.pathname)).toContain('hello');
  // The bucket's host would make the rest of the path the key.
  const asHost = await send(`${Bucket}.${DOMAIN}:${port}`, target.pathname);
  expect(asHost).toContain('SignatureDoesNotMatch');
  const virtual = s3Client(server, key, {
    endpoint: `http://${DOMAIN}:${port}`,
    forcePathStyle: false,
  });
  const signed = new URL(
    await getSignedUrl(virtual, new GetObjectCommand({ Bucket, Key: 'by-host' })),
  );
  expect(signed.host).toBe(`${Bucket}.${DOMAIN}:${port}`);
  const answer = await raw(
    `GET ${signed.pathname}${signed.search} HTTP/1.1\r\nHost: ${signed.host}\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toContain('hello');
  const elsewhere = await raw(
    `GET /${Bucket}${signed.pathname}${signed.search} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  );
  expect(elsewhere).toContain('SignatureDoesNotMatch');
});

test('the same API is below /s3 of the app', async () => {
  const app = s3Client(server, key, { endpoint: `${server.url}/s3` });
  const bytes = Buffer.alloc(2 * MIB, 'large');
  await put('app//one +ü', bytes, {}, app);
  const got = await app.send(new GetObjectCommand({ Bucket, Key: 'app//one +ü' }));
  expect(got.ContentLength).toBe(bytes.length);
  expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(bytes)).toBe(true);
  await put('app/page.html', '<script>', { ContentType: 'text/html', ACL: 'public-read' }, app);
  const page = await fetch(`${server.url}/s3/${Bucket}/app/page.html`);
  expect(page.headers.get('content-disposition')).toBe('attachment');
  expect(page.headers.get('content-security-policy')).toContain('sandbox');
  const atDelivery = await fetch(`${server.url}/s3/${Bucket}/app/page.html`, {
    headers: { host: 'cdn.example.test' },
  });
  expect([atDelivery.status, await atDelivery.text()]).toEqual([404, '']);
});

test('presigned URLs and anonymous requests are held to the rules of the bucket', async () => {
  await put('ruled', 'ruled', { ACL: 'public-read' });
  const signed = await presign('ruled');
  const { buckets } = server.services;
  await buckets.settings.setDeliveryRules(user.userId, Bucket, {
    denied_ips: ['127.0.0.0/8', '::1'],
  });
  try {
    for (const address of [signed, `${url}/${Bucket}/ruled`]) {
      expect(await codeOf(await fetch(address))).toEqual([403, 'AccessDenied']);
    }
    expect(await text('ruled')).toBe('ruled');
  } finally {
    await buckets.settings.setDeliveryRules(user.userId, Bucket, { denied_ips: [] });
  }
  const overridden = await presign('ruled', 'GET', { ResponseContentType: 'text/x-other' });
  expect((await fetch(overridden)).headers.get('content-type')).toBe('text/x-other');
  const unsigned = await fetch(`${url}/${Bucket}/ruled?response-content-type=text/html`);
  expect(unsigned.headers.get('content-type')).not.toBe('text/html');
});

test('what is read is counted as sent', async () => {
  await put('counted', Buffer.alloc(3 * MIB), { ACL: 'public-read' });
  await server.services.usage.flush();
  const sent = async () => (await server.services.usage.bandwidthOf([Bucket])).get(Bucket) ?? 0;
  const before = await sent();
  await (await fetch(`${url}/${Bucket}/counted`, { headers: { range: 'bytes=0-99' } })).bytes();
  await (await fetch(`${url}/${Bucket}/counted`)).bytes();
  await server.services.usage.flush();
  expect((await sent()) - before).toBe(3 * MIB + 100);
});

test('the CDN says in which coding an object was put', async () => {
  const body = Bun.gzipSync('harbour '.repeat(100));
  await put('coded.txt', body, {
    ...{ ContentEncoding: 'gzip', ContentType: 'text/plain', ACL: 'public-read' },
  });
  const response = await fetch(`${server.url}/cdn/${Bucket}/~/coded.txt`);
  expect(await response.text()).toBe('harbour '.repeat(100));
});

test('a page is downloaded from the CDN in whichever letters its type was put', async () => {
  for (const ContentType of ['text/html', 'TEXT/HTML', 'Application/PDF', 'image/SVG+XML']) {
    await put('typed', '<script>', { ContentType, ACL: 'public-read' });
    const { headers } = await fetch(`${server.url}/cdn/${Bucket}/~/typed`);
    expect([ContentType, headers.get('content-disposition')]).toEqual([
      ...[ContentType, expect.stringMatching(/^attachment/)],
    ]);
  }
});

test('a banned bucket and one at its bandwidth limit answer nothing', async () => {
  await put('stopped', 'x', { ACL: 'public-read' });
  const { db } = server;
  const set = async (columns: {
    banned_at?: number | null;
    delivery_stopped_until?: number | null;
  }) => {
    await db.updateTable('buckets').set(columns).where('id', '=', Bucket).execute();
    await server.services.buckets.publishChange(Bucket);
  };
  await set({ delivery_stopped_until: Date.now() + 1e9 });
  expect(await codeOf(await fetch(`${url}/${Bucket}/stopped`))).toEqual([403, 'AccessDenied']);
  expect(await refusalOf(text('stopped'))).toEqual(['AccessDenied', 403]);
  await set({ delivery_stopped_until: null, banned_at: 1 });
  expect(await codeOf(await fetch(`${url}/${Bucket}/stopped`))).toEqual([404, 'NoSuchBucket']);
  const list = s3.send(new ListObjectsV2Command({ Bucket }));
  expect(await refusalOf(list)).toEqual(['AccessDenied', 403]);
  expect(await refusalOf(put('stopped', 'y'))).toEqual(['AccessDenied', 403]);
  await set({ banned_at: null });
});

test('malformed XML deletes nothing', async () => {
  await put('ab', 'kept');
  const send = (body: string) => {
    const deleting = new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'none' }] } });
    deleting.middlewareStack.add(
      (next) => (args) => {
        Object.assign(args.request as object, { body });
        return next(args);
      },
      { step: 'build', priority: 'high' },
    );
    return refusalOf(s3.send(deleting));
  };
  for (const key of ['a&nbsp;b', 'a<x/>b']) {
    const refused = await send(`<Delete><Object><Key>${key}</Key></Object></Delete>`);
    expect([key, ...refused]).toEqual([key, 'MalformedXML', 400]);
  }
  expect(await text('ab')).toBe('kept');
});
