import { expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { createBucket } from '../../support/client/api.ts';
import { groupBucket } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucket();
for (let n = 0; n < 10; n += 1) await createBucket(server, user.token, `Bucket ${n}`);

/** Bun's client would request every compression and decompress the response. */
async function get(path: string, encoding: string, method = 'GET') {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      'accept-encoding': encoding,
      accept: path.startsWith('/dashboard') ? 'text/html' : 'application/json',
      cookie: user.client.cookies(),
      ...user.authorization,
    },
    decompress: false,
  });
  const { status, headers } = response;
  const body = Buffer.from(await response.arrayBuffer());
  const [type, vary] = [headers.get('content-type'), headers.get('vary')];
  return { status, type, vary, encoding: headers.get('content-encoding'), body };
}

test.each([
  ['/buckets', 'application/json'],
  ['/docs/quick-start', 'text/html'],
  ['/dashboard', 'text/html'],
  ['/docs/openapi.json', 'application/json'],
])('%s goes out compressed to those who accept it', async (path, type) => {
  const packed = await get(path, 'br, gzip');
  const plain = await get(path, 'identity');
  expect([packed.status, packed.encoding]).toEqual([200, 'gzip']);
  expect([plain.status, plain.encoding]).toEqual([200, null]);
  expect(packed.type).toStartWith(type);
  expect(packed.type).toBe(plain.type);
  // Pages vary by everything, so that no HTTP cache reuses them.
  for (const { vary } of [packed, plain]) expect(vary).toMatch(/Accept-Encoding|^\*$/);
  expect(packed.body.length).toBeLessThan(plain.body.length / 2);
  // Pages differ by their nonces and request times.
  expect(gunzipSync(packed.body).length).toBeWithin(plain.body.length - 50, plain.body.length + 50);
});

test('a small response, a refusal of gzip, and HEAD are sent as they are', async () => {
  const results = [
    await get(`/buckets/${bucket.id}`, 'gzip'),
    await get('/buckets', 'gzip;q=0'),
    await get('/docs/quick-start', 'gzip', 'HEAD'),
  ];
  expect(results.map(({ encoding }) => encoding)).toEqual([null, null, null]);
  expect(JSON.parse(results[0]?.body.toString() ?? '')).toHaveProperty('id', bucket.id);
});
