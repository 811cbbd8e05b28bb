import { beforeEach, expect, test } from 'bun:test';
import { NO_DELIVERY_RULES } from '../../../server/contract/delivery-limits.ts';
import { createBucket, createToken, signUp, uploadFile } from '../../support/client/api.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';

let now = Date.parse('2026-03-10T00:00:00.000Z');
const server = await sharedServerInProcess({ TRUST_PROXY: '1' }, { clock: () => now });
const user = await signUp(server);
const bucket = await createBucket(server, user.token);
const open = await uploadFile(
  server,
  bucket,
  'image',
  { access: 'public' },
  await photo(),
  'a.jpg',
);
const secret = await uploadFile(
  server,
  bucket,
  'image',
  { access: 'private' },
  await photo(),
  'b.jpg',
);
const token = await createToken(server, bucket);

const setRules = (rules: object, headers: Record<string, string> = user.authorization) =>
  fetch(`${server.url}/buckets/delivery-rules/${bucket.id}`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...NO_DELIVERY_RULES, ...rules }),
  });
const get = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(new URL(url, server.url), { headers });
  await response.arrayBuffer();
  return response;
};
const URLS = [open.url ?? '', `${open.url}?width=40`, `${secret.url}?jwt=${token}`];

beforeEach(async () => {
  // Each test has minutes of its own.
  now += 60_000;
  expect((await setRules({})).status).toBe(200);
});

test('a page of another site shows no file, also where a cache has its response', async () => {
  for (const url of URLS) expect((await get(url)).status).toBe(200);
  expect((await setRules({ allowed_referrers: ['Example.com', '*.example.org'] })).status).toBe(
    200,
  );
  const bandwidth = async () => {
    await server.services.usage.flush();
    const response = await fetch(`${server.url}/buckets/${bucket.id}`, {
      headers: user.authorization,
    });
    return (await response.json()) as { bandwidth: number; allowed_referrers: string[] };
  };
  const before = await bandwidth();
  expect(before.allowed_referrers).toEqual(['example.com', '*.example.org']);
  for (const url of [...URLS, ...URLS]) {
    const refused = await get(url, { referer: 'https://evil.example/page' });
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([
      403,
      'referrer-refused',
    ]);
    expect(refused.headers.get('cache-control')).toBe('no-store');
  }
  expect((await bandwidth()).bandwidth).toBe(before.bandwidth);
  for (const url of URLS) {
    for (const referer of [
      'https://example.com/',
      'https://a.example.org/b',
      `${server.url}/dashboard`,
    ]) {
      expect((await get(url, { referer })).status).toBe(200);
      // The entry of a cache that this has filled is no way around the rules.
      expect((await get(url, { referer: 'https://evil.example/' })).status).toBe(403);
    }
    expect((await get(url)).status).toBe(200);
  }
});

test('a client has its requests of a minute, and others have theirs', async () => {
  await setRules({ requests_per_client: 3 });
  const from = (address: string, url = open.url ?? '') => get(url, { 'x-forwarded-for': address });
  expect((await from('198.51.100.1')).status).toBe(200);
  expect((await from('198.51.100.1', URLS[1])).status).toBe(200);
  expect((await from('198.51.100.1', URLS[2])).status).toBe(200);
  const refused = await from('198.51.100.1');
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([429, 'too-many']);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect((await from('198.51.100.2')).status).toBe(200);
  for (const last of ['1', '2', '3']) expect((await from(`2001:db8::${last}`)).status).toBe(200);
  expect((await from('2001:db8::4')).status).toBe(429);
  now += 60_000;
  expect((await from('198.51.100.1')).status).toBe(200);
});

test('a file has its requests of a minute, whoever sends them, and other files have theirs', async () => {
  await setRules({ requests_per_file: 2 });
  const statuses = [];
  for (const url of [
    open.url ?? '',
    `${open.url}?width=40`,
    open.url ?? '',
    `${open.url}?width=41`,
  ]) {
    statuses.push((await get(url)).status);
  }
  expect(statuses).toEqual([200, 200, 429, 429]);
  expect((await get(URLS[2] ?? '')).status).toBe(200);
});

test('an address outside the allowed ranges, or in a denied one, opens no file', async () => {
  for (const url of URLS) expect((await get(url)).status).toBe(200);
  await setRules({
    allowed_ips: ['198.51.100.0/24', '2001:db8::/32'],
    denied_ips: ['198.51.100.9', '2001:db8:bad::/48'],
  });
  const codeOf = async (address: string, url: string) => {
    const response = await get(url, { 'x-forwarded-for': address });
    return [response.status, response.headers.get('x-error-code')];
  };
  for (const url of URLS) {
    for (const address of ['198.51.100.1', '::ffff:198.51.100.2', '2001:db8::1']) {
      expect(await codeOf(address, url)).toEqual([200, null]);
    }
    const outside = ['203.0.113.1', '2001:db9::1', '198.51.100.9', '2001:db8:bad::1', 'nonsense'];
    for (const address of outside) expect(await codeOf(address, url)).toEqual([403, 'ip-refused']);
  }
});

test('a path leads to the playlist of its video only for those whom the rules let through', async () => {
  const video = await uploadFile(server, bucket, 'video', {}, await clip(), 'clip.mp4');
  const follow = async (headers: Record<string, string> = {}) => {
    const url = new URL(video.path_url ?? '', server.url);
    const response = await fetch(url, { headers, redirect: 'manual' });
    const { status } = response;
    return [status, response.headers.get('location'), response.headers.get('x-error-code')];
  };
  const playlist = video.url;
  expect(await follow()).toEqual([302, playlist, null]);
  await setRules({ allowed_referrers: ['example.com'] });
  expect(await follow({ referer: 'https://example.com/' })).toEqual([302, playlist, null]);
  const elsewhere = await follow({ referer: 'https://evil.example/' });
  expect(elsewhere).toEqual([403, null, 'referrer-refused']);
  await setRules({ denied_ips: ['198.51.100.9'] });
  const denied = await follow({ 'x-forwarded-for': '198.51.100.9' });
  expect(denied).toEqual([403, null, 'ip-refused']);
  await setRules({ requests_per_file: 1 });
  expect((await follow())[0]).toBe(302);
  expect(await follow()).toEqual([429, null, 'too-many']);
  await setRules({ cors_origins: ['https://a.example'] });
  const { headers } = await fetch(new URL(video.path_url ?? '', server.url), {
    headers: { origin: 'https://b.example' },
    redirect: 'manual',
  });
  expect(headers.get('access-control-allow-origin')).toBeNull();
});

test('scripts of named origins read files, and those of others do not', async () => {
  const origins = async (url: string, origin?: string) => {
    const { headers } = await get(url, origin ? { origin } : {});
    return [headers.get('access-control-allow-origin'), headers.get('vary')?.includes('Origin')];
  };
  for (const url of URLS) expect((await origins(url, 'https://a.example'))[0]).toBe('*');
  await setRules({ cors_origins: ['https://A.example/', 'http://b.example:8080'] });
  for (const url of [...URLS, ...URLS]) {
    expect(await origins(url, 'https://a.example')).toEqual(['https://a.example', true]);
    expect(await origins(url, 'http://b.example:8080')).toEqual(['http://b.example:8080', true]);
    for (const other of ['https://b.example', 'http://a.example', 'null', undefined]) {
      expect(await origins(url, other)).toEqual([null, true]);
    }
  }
});

test('a rule that is left out stays', async () => {
  await setRules({ denied_ips: ['203.0.113.7'], requests_per_file: 5 });
  const response = await fetch(`${server.url}/buckets/delivery-rules/${bucket.id}`, {
    method: 'PUT',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ cors_origins: ['https://a.example'] }),
  });
  expect(await response.json()).toMatchObject({
    denied_ips: ['203.0.113.7'],
    requests_per_file: 5,
    cors_origins: ['https://a.example'],
  });
});

test('an embedded player is for the allowed sites too', async () => {
  await setRules({ allowed_referrers: ['example.com'] });
  const embed = (headers: Record<string, string>) =>
    get(`${server.url}/embed/${bucket.id}/${open.id}`, headers);
  const code = async (headers: Record<string, string>) =>
    (await embed(headers)).headers.get('x-error-code');
  expect(await code({ referer: 'https://evil.example/' })).toBe('referrer-refused');
  expect(await code({ 'sec-fetch-dest': 'iframe' })).toBe('referrer-refused');
  expect(await code({ referer: 'https://example.com/', 'sec-fetch-dest': 'iframe' })).toBe(
    'not-a-video',
  );
});

test.each([
  [{ allowed_referrers: ['https://example.com'] }, 'is not a site'],
  [{ allowed_referrers: ['example.com/path'] }, 'is not a site'],
  [{ allowed_referrers: ['*'] }, 'is not a site'],
  [{ allowed_referrers: Array(51).fill('a.example') }, 'a list of up to 50 hosts'],
  [{ cors_origins: ['example.com'] }, 'is not an origin'],
  [{ cors_origins: ['https://example.com/path'] }, 'is not an origin'],
  [{ cors_origins: ['*'] }, 'is not an origin'],
  [{ allowed_ips: ['example.com'] }, 'is not an IP address or range'],
  [{ denied_ips: ['10.0.0.0/33'] }, 'is not an IP address or range'],
  [{ denied_ips: Array(51).fill('10.0.0.1') }, 'a list of up to 50 IP ranges'],
  [{ requests_per_client: 0 }, 'requests_per_client must be a whole number'],
  [{ requests_per_file: 1.5 }, 'requests_per_file must be a whole number'],
  [{ path_max_age: -1 }, 'path_max_age must be a whole number'],
  [{ path_max_age: 31_536_001 }, 'path_max_age must be a whole number'],
  [{ path_max_age: null }, 'path_max_age must be a whole number'],
])('%p is refused', async (rules, text) => {
  const response = await setRules(rules);
  expect(response.status).toBe(422);
  expect(await response.text()).toContain(text);
});

test('a stranger changes nothing', async () => {
  const stranger = await signUp(server);
  expect((await setRules({ requests_per_file: 1 }, stranger.authorization)).status).toBe(404);
  for (let n = 0; n < 3; n += 1) expect((await get(open.url ?? '')).status).toBe(200);
});
