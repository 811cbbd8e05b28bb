import { beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import about from '../../../server/web/assets/clip/about.json' with { type: 'json' };
import { groupServer } from '../../support/server/group-server.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable';
const TYPES: Record<string, string> = {
  m3u8: 'application/vnd.apple.mpegurl',
  mp4: 'video/mp4',
  m4s: 'video/iso.segment',
  vtt: 'text/vtt',
  webp: 'image/webp',
};

const server = await groupServer();
let player: Response;
let html: string;
/** The URL of the clip's files, with a slash at the end. */
let folder: string;

beforeAll(async () => {
  player = await fetch(`${server.url}/embed/sample`, { headers: { accept: 'text/html' } });
  html = await player.text();
  folder = /data-url="([^"]+)master\.m3u8"/.exec(html)?.[1] ?? '';
});

const get = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${server.url}${folder}${name}`, { headers, method });

/** Returns the files that a playlist or cues refer to, relative to its own folder. */
async function named(name: string): Promise<string[]> {
  const text = await (await get(name)).text();
  const lines = text.split('\n').filter((line) => /^[\w/]+\.(m3u8|m4s|webp)(#|$)/.test(line));
  const inTags = [...text.matchAll(/URI="([^"]+)"/g)].map(([, uri = '']) => uri);
  const at = name.slice(0, name.lastIndexOf('/') + 1);
  return [...new Set([...inTags, ...lines].map((one) => at + one.replace(/#.*/, '')))];
}

describe('the clip', () => {
  test('is whole: two sizes and a group of sound, each file as its kind, kept for ever', async () => {
    const master = await (await get('master.m3u8')).text();
    expect(master.match(/#EXT-X-STREAM-INF/g)).toHaveLength(2);
    expect(master).toContain('#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio"');
    const names = new Set(['master.m3u8', 'previews.vtt', 'poster.webp']);
    for (const name of names) {
      if (/\.(m3u8|vtt)$/.test(name)) for (const one of await named(name)) names.add(one);
    }
    expect([...names].sort()).toEqual([...about.files].sort());
    for (const name of names) {
      const response = await get(name);
      const type = TYPES[name.split('.').at(-1) ?? ''] ?? '';
      expect([name, response.status, response.headers.get('content-type')]).toEqual([
        name,
        200,
        type,
      ]);
      expect(response.headers.get('cache-control')).toBe(IMMUTABLE);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('content-disposition')).toBe('inline');
    }
  });

  test('has the bytes that the landing page tells, and weighs less than 900 KiB', async () => {
    const weigh = async (prefix: string) => {
      const names = about.files.filter((name) => name.startsWith(prefix));
      const sizes = names.map(async (name) => (await (await get(name)).bytes()).length);
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    };
    for (const { width, height, bytes } of about.sizes) {
      expect(await weigh(`${width}x${height}/`)).toBe(bytes);
    }
    expect(await weigh('audio/')).toBe(about.sound);
    expect(await weigh('previews')).toBe(about.previews);
    expect(await weigh('')).toBeLessThan(900 * 1024);
    const landing = await (await fetch(server.url)).text();
    for (const bytes of [...about.sizes.map((size) => size.bytes), about.sound, about.previews]) {
      expect(landing).toContain(`${(bytes / 1024).toFixed(2)} KiB`);
    }
  });
});

describe('a part of a file', () => {
  const segment = `${about.sizes[0]?.width}x${about.sizes[0]?.height}/seg_00000.m4s`;
  const getRange = async (range: string, more = {}, method = 'GET') => {
    const response = await get(segment, { range, ...more }, method);
    return { response, bytes: await response.bytes() };
  };

  test('comes alone, as the playlist of key frames asks for each', async () => {
    const fullBytes = await (await get(segment)).bytes();
    const playlist = await (await get(segment.replace(/seg.*/, 'iframes.m3u8'))).text();
    const [, length = 0, offset = 0] = (/BYTERANGE:(\d+)@(\d+)/.exec(playlist) ?? []).map(Number);
    expect(length).toBeGreaterThan(100);
    for (const [start, end] of [
      [offset, offset + length],
      [5, 6],
    ] as const) {
      const { response, bytes } = await getRange(`bytes=${start}-${end - 1}`);
      expect(response.status).toBe(206);
      expect(response.headers.get('content-range')).toBe(
        `bytes ${start}-${end - 1}/${fullBytes.length}`,
      );
      expect(response.headers.get('content-type')).toBe('video/iso.segment');
      expect(response.headers.get('cache-control')).toBe(IMMUTABLE);
      expect(bytes).toEqual(fullBytes.subarray(start, end));
    }
    const last = await getRange('bytes=-10');
    expect(last.bytes).toEqual(fullBytes.subarray(-10));
    const rest = await getRange('bytes=100-');
    expect(rest.bytes).toEqual(fullBytes.subarray(100));
  });

  test('that lies outside is refused; of another version it is the whole', async () => {
    const { length } = await (await get(segment)).bytes();
    const outside = await getRange(`bytes=${length}-`);
    expect(outside.response.status).toBe(416);
    expect(outside.response.headers.get('content-range')).toBe(`bytes */${length}`);
    const other = await getRange('bytes=0-9', { 'if-range': '"other"' });
    expect([other.response.status, other.bytes.length]).toEqual([200, length]);
    const etag = other.response.headers.get('etag') ?? '';
    const same = await getRange('bytes=0-9', { 'if-range': etag });
    expect([same.response.status, same.bytes.length]).toEqual([206, 10]);
    expect((await get(segment, { 'if-none-match': etag })).status).toBe(304);
  });

  test('a look at its head has the type and length of the whole, and no body', async () => {
    const response = await get(segment, {}, 'HEAD');
    const { length } = await (await get(segment)).bytes();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('video/iso.segment');
    expect(response.headers.get('content-length')).toBe(String(length));
  });
});

describe('nothing else is there', () => {
  test.each([
    '',
    'about.json',
    'nothing.m3u8',
    'previews',
    'previews/',
    '960x540/',
    '960x540/nothing.m4s',
    '..%2fmanifest.json',
    '..%2f..%2f..%2fpackage.json',
    '%2e%2e%2f%2e%2e%2fpackage.json',
    '/etc/passwd',
    'master.m3u8%00',
  ])('%j below its folder is 404', async (name) => {
    expect((await get(name)).status).toBe(404);
  });

  test.each(['../../../package.json', '../manifest.json', '..\\manifest.json', './././../x'])(
    '%j, sent as it is, is 404',
    async (name) => {
      const { hostname, port } = new URL(server.url);
      const text = await new Promise<string>((resolve, reject) => {
        let text = '';
        const socket = connect(Number(port), hostname, () =>
          socket.write(
            `GET ${folder}${name} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`,
          ),
        );
        socket.on('data', (data) => {
          text += data;
        });
        socket.on('end', () => resolve(text));
        socket.on('error', reject);
      });
      expect(text).toStartWith('HTTP/1.1 404');
    },
  );

  test('and nothing may be sent to it', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await get('master.m3u8', {}, method)).status).toBeGreaterThanOrEqual(404);
    }
  });
});

test('its player needs no account, sets no cookie, runs only our script, and has a stand-in without any', () => {
  expect(player.status).toBe(200);
  expect(player.headers.get('set-cookie')).toBeNull();
  const policy = player.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/script-src 'nonce-[^']+' 'strict-dynamic';/);
  expect(policy).toContain("media-src 'self' blob:;");
  const without = /<noscript>(.*)<\/noscript>/.exec(html)?.[1];
  expect(without).toContain('<video controls=""');
  expect(without).toContain(`src="${folder}master.m3u8"`);
});

test('the landing page may frame our own pages alone, and names nothing of the player but its address', async () => {
  const landing = await fetch(server.url, { headers: { accept: 'text/html' } });
  const policy = landing.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("frame-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  const text = await landing.text();
  expect(text).toContain('<a href="/embed/sample"');
  expect(text).not.toContain('<iframe');
  const embed = /<script type="module" src="([^"]+)"/.exec(html)?.[1] ?? 'none';
  for (const part of ['m3u8', '.vtt', 'embed-', 'modulepreload', embed]) {
    expect(text).not.toContain(part);
  }
});
