import { expect, test } from 'bun:test';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sharp } from '../../../media/image/sharp.ts';
import { KIB } from '../../../server/contract/limits.ts';
import { sharedServer } from '../../support/server/server.ts';

const SCRIPT_MAX = 20 * KIB;
const FIRST_PAINT_MAX = 50 * KIB;
const GUIDE = join(import.meta.dir, '../../../docs/guide');

const server = await sharedServer({
  PRICE_STORAGE: '0.07',
  SOURCE_URL: 'https://source.example/wharf',
  VIDEO_CHANNEL_URL: 'https://video.example/wharf',
});
const page = async () => (await fetch(server.url, { headers: { accept: 'text/html' } })).text();
const html = await page();
const all = (pattern: RegExp, text = html) =>
  [...text.matchAll(pattern)].map(([, match]) => match ?? '');

/** Returns the size of a response as it is transferred. */
async function weigh(path: string) {
  const response = await fetch(server.url + path, {
    headers: { 'accept-encoding': 'gzip' },
    decompress: false,
  } as RequestInit);
  return (await response.arrayBuffer()).byteLength;
}

/** Returns a script with everything that it imports before it can run. */
async function withImports(path: string, paths = new Set<string>()): Promise<Set<string>> {
  if (paths.has(path)) return paths;
  paths.add(path);
  const text = await (await fetch(server.url + path)).text();
  const imports = all(/(?:from|import)\s*"\.\/([\w-]+\.js)"/g, text);
  for (const name of imports) await withImports(`/assets/${name}`, paths);
  return paths;
}

test('its scripts weigh less than 20 KiB, with no React among them, and its first paint less than 50', async () => {
  const scripts = new Set<string>();
  for (const src of all(/<script[^>]*\ssrc="([^"]+)"/g)) await withImports(src, scripts);
  expect(scripts.size).toBeGreaterThan(1);
  let script = 0;
  for (const path of scripts) {
    script += await weigh(path);
    const text = await (await fetch(server.url + path)).text();
    expect(text, path).not.toContain('Minified React error');
  }
  const styles = all(/<link rel="stylesheet" href="([^"]+)"/g);
  expect(styles).toHaveLength(1);
  const inline = Bun.gzipSync(html).byteLength;
  expect(script).toBeLessThan(SCRIPT_MAX);
  expect(script + inline + (await weigh(styles[0] ?? ''))).toBeLessThan(FIRST_PAINT_MAX);
});

test('nine claims each lead to a part of the guide that is there', async () => {
  const section = html.slice(html.indexOf('id="claims"'), html.indexOf('id="clip"'));
  const links = all(/<a href="([^"]+)"/g, section);
  expect(links).toHaveLength(9);
  const pages = (await readdir(GUIDE)).map((name) => name.replace('.md', ''));
  for (const link of links) {
    const url = new URL(link, server.url);
    expect(pages).toContain(url.pathname.replace('/docs/', ''));
    if (!url.hash) continue;
    const text = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
    expect(text, link).toContain(`id="${url.hash.slice(1)}"`);
  }
  for (const claim of [
    'selectable main region',
    'JSON Web Tokens',
    'Image optimization',
    'HLS playback',
    'Scaling network',
    'Private files protect bandwidth',
    'Low latency worldwide',
    'Thousands of concurrent users',
    'resumable for up to 24 hours',
  ]) {
    expect(section).toContain(claim);
  }
});

test('prices are those of the configuration, and both buttons lead to /signup', () => {
  expect(html).toContain('id="pricing"');
  expect(html).toContain('$0.07');
  expect(all(/<a href="\/signup"[^>]*>([^<]*)</g)).toEqual([
    'Sign up',
    'Get Started for Free',
    'Get Started for Free',
  ]);
  expect(html).toContain('href="/#pricing"');
});

test('only the regions that the server has are promised', () => {
  expect(html).toContain('One region on this server');
  expect(html).not.toContain('regions to choose from');
});

test('the operator’s terms and privacy notice are pages once their files are there', async () => {
  const linked = async () => all(/<a href="\/(terms|privacy)"/g, await page());
  expect(await linked()).toEqual([]);
  expect((await fetch(`${server.url}/terms`)).status).toBe(404);
  await Bun.write(
    join(server.dataDir, 'terms.md'),
    '# Terms\n\nBe kind. [Write](mailto:a@b.example)\n',
  );
  expect(await linked()).toEqual(['terms']);
  const terms = await fetch(`${server.url}/terms`, { headers: { accept: 'text/html' } });
  const text = await terms.text();
  expect(text).toContain('Be kind.');
  expect(text).toContain('mailto:a@b.example');
  await rm(join(server.dataDir, 'terms.md'));
});

test('the bytes beside the photo are those of its files, and the delivered one is the smaller', async () => {
  const { bytes } = await (async () => {
    const urls = [...all(/src(?:Set|set)?="(\/assets\/photo-[^"]+)"/g)];
    const entries = await Promise.all(
      urls.map(async (url) => [
        url.split('.').at(-1) ?? '',
        (await (await fetch(server.url + url)).arrayBuffer()).byteLength,
      ]),
    );
    return { bytes: Object.fromEntries(entries) as Record<string, number> };
  })();
  const { jpg = 0, avif = 0, webp = 0 } = bytes;
  expect(avif).toBeLessThan(webp);
  expect(webp).toBeLessThan(jpg);
  for (const size of [jpg, avif, webp]) expect(html).toContain(`${(size / KIB).toFixed(2)} KiB`);
});

test('the pictures of the dashboard are small, have their sizes in the page, and may be kept for ever', async () => {
  const section = html.slice(html.indexOf('id="product"'), html.indexOf('id="claims"'));
  const tags = all(/(<(?:img|source) [^>]*>)/g, section);
  expect(tags).toHaveLength(4);
  for (const tag of tags) {
    const attribute = (name: string) => new RegExp(`${name}="([^"]+)"`, 'i').exec(tag)?.[1] ?? '';
    const response = await fetch(server.url + (attribute('srcset') || attribute('src')));
    expect(response.headers.get('content-type')).toBe('image/avif');
    expect(response.headers.get('cache-control')).toContain('immutable');
    const bytes = await response.bytes();
    expect(bytes.length).toBeLessThanOrEqual(60 * KIB);
    const { width = 0, height = 0 } = await sharp(bytes).metadata();
    expect(Number(attribute('width')) / Number(attribute('height'))).toBeCloseTo(width / height, 2);
    if (!tag.startsWith('<img')) continue;
    expect(attribute('loading')).toBe('lazy');
    expect(attribute('alt')).toStartWith('The dashboard');
  }
});

test('the footer has its year, the licence and the two links in new tabs, also in the documentation', async () => {
  for (const path of ['/', '/docs', '/docs/api/files', '/docs/tokens']) {
    const response = await fetch(server.url + path, { headers: { accept: 'text/html' } });
    const footer = /<footer.*<\/footer>/s.exec(await response.text())?.[0] ?? '';
    expect(footer.replace(/<!-- -->/g, ''), path).toContain('© 2025 Wharf, MIT licence');
    for (const url of ['https://source.example/wharf', 'https://video.example/wharf']) {
      expect(footer, path).toMatch(new RegExp(`<a href="${url}" target="_blank"`));
    }
  }
});

test('the samples have colours', () => {
  const section = html.slice(html.indexOf('id="code"'), html.indexOf('id="pricing"'));
  expect(all(/<code>.*?class="(hljs-string)"/gs, section)).toHaveLength(4);
});

test('every public page says for those who show links to it what it is, at its one address', async () => {
  for (const path of ['/', '/login', '/signup', '/forgot-password', '/docs', '/docs/tokens']) {
    const response = await fetch(`${server.url}${path}?from=elsewhere`, {
      headers: { accept: 'text/html' },
    });
    const text = await response.text();
    const contentOf = (property: string) =>
      all(new RegExp(`<meta property="og:${property}" content="([^"]+)"`, 'g'), text);
    expect(contentOf('url'), path).toEqual([server.url + path]);
    expect(all(/<title>([^<]+)</g, text), path).toEqual(contentOf('title'));
    const [image = ''] = contentOf('image');
    expect((await fetch(image)).headers.get('content-type')).toBe('image/jpeg');
  }
});
