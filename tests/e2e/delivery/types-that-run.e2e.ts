import type { Page } from '@playwright/test';
import { uploadFile } from '../../support/client/api.ts';
import { expect } from '../fixtures.ts';
import { enterAt, test } from '../support/delivery-hosts.ts';
import { startOtherSite } from '../support/other-site.ts';

// A script that is blocked is an error on the console.
test.use({ expectedComplaints: /./ });

/** What the console says where a file has run. */
const RAN = 'a file has run';
const SCRIPT = `console.log('${RAN}'); document.cookie = 'ran=ran-by-a-file'; localStorage.setItem('ran', '1');`;
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title><script>${SCRIPT}</script></head><body/></html>`;
const HTML = `<!doctype html><title>x</title><script>${SCRIPT}</script><img src="x" onerror="${SCRIPT.replaceAll('"', "'")}">`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" onload="${SCRIPT}"><script>${SCRIPT}</script><rect width="9" height="9"/></svg>`;
const XSL = `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">${XHTML}</xsl:template></xsl:stylesheet>`;
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\(1\\);)>>>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj
trailer<</Root 1 0 R>>
%%EOF`;
const MHTML = `MIME-Version: 1.0
Content-Type: multipart/related; boundary="b"

--b
Content-Type: text/html

${HTML}
--b--
`;
const FEED = `<?xml version="1.0"?><rss version="2.0"><channel><title>x</title>${XHTML}</channel></rss>`;

/** By the name of a file, what is in it. */
const FILES: Record<string, string> = {
  'page.html': HTML,
  'page.htm': HTML,
  'page.shtml': HTML,
  'page.xhtml': XHTML,
  'page.xht': XHTML,
  'page.xml': XHTML,
  'page.xsl': XSL,
  'page.xslt': XSL,
  'styled.xml': `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="page.xsl"?><a/>`,
  'feed.rss': FEED,
  'feed.atom': FEED,
  'map.rdf': FEED,
  'picture.svg': SVG,
  'script.js': SCRIPT,
  'script.mjs': SCRIPT,
  'letter.pdf': PDF,
  'mail.mhtml': MHTML,
  'mail.mht': MHTML,
  'mail.eml': MHTML,
  'data.json': JSON.stringify({ html: HTML }),
  'app.webmanifest': '{}',
  'app.hta': HTML,
  'app.swf': `FWS${HTML}`,
  'cache.appcache': 'CACHE MANIFEST\n*',
  'subtitles.vtt': `WEBVTT\n\n00:00.000 --> 00:01.000\n${HTML}`,
  'style.css': `body { background: url("javascript:${RAN}") }`,
  'notes.txt': HTML,
  'notes.md': HTML,
  nameless: HTML,
  'unknown.qqq': HTML,
};

/** Opens a URL as a link does, and returns whether the browser saves or shows it. */
async function open(page: Page, url: string): Promise<'saved' | 'shown'> {
  const saved = page.waitForEvent('download', { timeout: 0 }).then(() => 'saved' as const);
  // A navigation that becomes a download fails.
  const shown = page.goto(url, { waitUntil: 'load' }).then(
    () => 'shown' as const,
    () => saved,
  );
  const outcome = await Promise.race([saved, shown]);
  saved.catch(() => {});
  if (outcome === 'shown') await expectHarmless(page);
  return outcome;
}

/** Expects that what a page shows has an origin of its own, or is no document that scripts could be in. */
async function expectHarmless(page: Page) {
  const policy = await page.evaluate(() => self.origin);
  expect(policy).toBe('null');
}

test('no type of file runs on the host of the dashboard or on that of files', async ({
  page,
  context,
  server,
  hosts,
}) => {
  const { put, bucket } = await enterAt(page, server, hosts.app);
  const messages: string[] = [];
  context.on('console', (message) => messages.push(message.text()));
  // The script is one that runs where nothing keeps it from it.
  const other = await startOtherSite(() => `<script>${SCRIPT}</script>`);
  await page.goto(other.url);
  await expect.poll(() => messages.splice(0)).toContain(RAN);
  await context.clearCookies({ name: 'ran' });
  other.close();
  const outcomes: Record<string, string> = {};
  // One tab for all of them, as each new one takes longer than what it opens.
  const tab = await context.newPage();
  for (const [name, content] of Object.entries(FILES)) {
    const file = await put(name, content);
    for (const url of [file.url ?? '', file.path_url ?? '']) {
      const { pathname } = new URL(url);
      const [atFiles, atApp] = [url, `${hosts.app}${pathname}`];
      const seen = [await open(tab, atFiles), await open(tab, atApp)];
      expect([name, seen]).toEqual([name, [seen[0], seen[0]]]);
      outcomes[name] = seen[0] ?? '';
    }
  }
  const svg = new Blob([SVG], { type: 'image/svg+xml' });
  const image = await uploadFile(server, bucket, 'image', { access: 'public' }, svg, 'image.svg');
  const { pathname } = new URL(image.url ?? '');
  for (const host of [new URL(hosts.cdn).origin, hosts.app]) {
    expect(await open(tab, host + pathname)).toBe('shown');
  }
  expect(messages.filter((text) => text === RAN)).toEqual([]);
  const shown = Object.keys(outcomes).filter((name) => outcomes[name] === 'shown');
  // As text, or as what the browser knows no use for.
  const texts = ['data.json', 'nameless', 'notes.md', 'notes.txt', 'style.css', 'subtitles.vtt'];
  const others = ['app.hta', 'app.webmanifest', 'cache.appcache', 'unknown.qqq'];
  expect(shown.sort()).toEqual([...texts, ...others].sort());

  // The dashboard's own pages have kept what is theirs, and the browser what it has of the files' host.
  await page.goto(`${hosts.app}/dashboard`);
  const names = (await context.cookies()).map((cookie) => cookie.name);
  expect(names).not.toContain('ran');
  expect(await page.evaluate(() => localStorage.getItem('ran'))).toBeNull();
});

test('no file runs in a frame, an object or an embed of a page of the dashboard', async ({
  page,
  server,
  hosts,
}) => {
  const { put } = await enterAt(page, server, hosts.app);
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  await page.goto(`${hosts.app}/dashboard`);
  for (const name of ['page.html', 'page.xhtml', 'picture.svg', 'page.xml', 'notes.txt']) {
    const file = await put(`framed/${name}`, FILES[name] ?? '');
    const { pathname } = new URL(file.path_url ?? '');
    for (const url of [pathname, file.path_url ?? '']) {
      const titles = await page.evaluate(async (address) => {
        const elements = ['iframe', 'object', 'embed'].map((tag) => {
          const element = document.createElement(tag);
          element.setAttribute(tag === 'object' ? 'data' : 'src', address);
          document.body.append(element);
          return element;
        });
        // What is loaded is told by an event, and what is refused or saved by none.
        await fetch(address).catch(() => {});
        return elements.map((element) => {
          const document = (element as HTMLIFrameElement).contentDocument;
          return document?.title ?? null;
        });
      }, url);
      for (const title of titles) expect([null, '']).toContain(title);
    }
  }
  await page.waitForLoadState('networkidle');
  expect(messages.filter((text) => text === RAN)).toEqual([]);
  expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('ran');
});
