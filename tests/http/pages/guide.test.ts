import { describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIB } from '../../../server/contract/limits.ts';
import { GUIDE_PAGES } from '../../../server/features/docs/guide-pages.ts';
import { filled } from '../../../server/features/docs/page.tsx';
import { createBucket, listFiles, signUp, waitForFile } from '../../support/client/api.ts';
import { clip, clipOfSize, photo } from '../../support/fixtures/make-media.ts';
import { isAsPromised } from '../../support/guide/output.ts';
import { runSamples } from '../../support/guide/run.ts';
import { isForBrowsers, isRunnable, samplesOf } from '../../support/guide/samples.ts';
import { freePort } from '../../support/server/free-port.ts';
import { sharedServer } from '../../support/server/server.ts';

const ROOT = join(import.meta.dir, '../../..');
const FOLDER = join(ROOT, 'docs/guide');
/** The languages of samples that people only read and the test can't run, each for its own reason. */
const ONLY_READ = [
  'caddy',
  'console',
  'css',
  'hcl',
  'html',
  'ini',
  'json',
  'nginx',
  'js',
  'python',
  'php',
  'sql',
  'yaml',
];

const server = await sharedServer({ WEBHOOK_ALLOW_PRIVATE: 'yes' });
const user = await signUp(server);

const textOf = async (slug: string) => Bun.file(join(FOLDER, `${slug}.md`)).text();
const pages = new Map<string, Promise<{ status: number; html: string }>>();
/** Fetches each page once, because every page of the guide links to every other. */
const pageOf = (path: string) => {
  const page = pages.get(path) ?? fetchPage(path);
  pages.set(path, page);
  return page;
};
async function fetchPage(path: string) {
  const response = await fetch(`${server.url}${path}`, { headers: { accept: 'text/html' } });
  return { status: response.status, html: await response.text() };
}
const matches = (html: string, pattern: RegExp) =>
  [...html.matchAll(pattern)].map(([, match = '']) => match);
const idsIn = (html: string) => matches(html, /\sid="([^"]+)"/g);

test('every file of the guide is listed, and everything listed is there', async () => {
  const files = (await readdir(FOLDER)).sort();
  expect(files).toEqual(GUIDE_PAGES.map(({ slug }) => `${slug}.md`).sort());
});

test('the README leads to every page of the guide, and to no other', async () => {
  const readme = await Bun.file(join(ROOT, 'README.md')).text();
  const linked = matches(readme, /\]\(docs\/guide\/([^)]*)\.md\)/g);
  expect(linked.sort()).toEqual(GUIDE_PAGES.map(({ slug }) => slug).sort());
});

describe.each(GUIDE_PAGES)('$slug', ({ slug, title, summary }) => {
  test('is read without an account, under its one address', async () => {
    const { status, html } = await pageOf(`/docs/${slug}`);
    expect(status).toBe(200);
    expect(html).toContain(`<title>${title} · Wharf</title>`);
    expect(matches(html, /<h1[^>]*>([^<]*)<\/h1>/g)).toEqual([title]);
    expect(html).toContain(`<link rel="canonical" href="${server.url}/docs/${slug}"/>`);
    expect(html).toContain(`<meta property="og:title" content="${title} · Wharf"/>`);
    expect(html).toContain(`<meta property="og:description" content="${summary}"/>`);
    expect(html).toMatch(new RegExp(`href="/docs/${slug}" aria-current="page"`));
  });

  test('names this server, and leaves no placeholder behind', async () => {
    const { html } = await pageOf(`/docs/${slug}`);
    expect(html).not.toMatch(/\{(APP|CDN)_URL\}/);
  });

  test('needs nothing from elsewhere, and has no style and no script of its own', async () => {
    const article = /<article[\s\S]*<\/article>/.exec((await pageOf(`/docs/${slug}`)).html)?.[0];
    expect(article).toBeDefined();
    expect(article).not.toMatch(/<(script|style|img|iframe|link)\b|\sstyle="|\son\w+="/);
  });

  test('has an address for every part, and no two alike', async () => {
    const { html } = await pageOf(`/docs/${slug}`);
    const ids = idsIn(html);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of matches(html, /<h[23] id="([^"]*)"/g)) {
      expect(html).toContain(`href="#${id}"`);
    }
  });

  test('has a structure that a screen reader can follow', async () => {
    const { html } = await pageOf(`/docs/${slug}`);
    const levels = matches(html, /<h([1-6])[\s>]/g).map(Number);
    for (const [at, level] of levels.entries()) {
      expect(level).toBeLessThanOrEqual((levels[at - 1] ?? 0) + 1);
    }
    const article = /<article[\s\S]*<\/article>/.exec(html)?.[0] ?? '';
    for (const control of matches(article, /(<(?:a|button) [\s\S]*?<)\/(?:a|button)>/g)) {
      expect(control).toMatch(/>[^<]*\w|aria-label="\w/);
    }
    for (const table of matches(article, /<table[^>]*>([\s\S]*?)<\/table>/g)) {
      expect(table).toContain('<th');
    }
    expect(html).toMatch(/<html lang="en"/);
    expect(matches(html, /(<main)[\s>]/g)).toHaveLength(1);
  });

  test('links only to what is there', async () => {
    const { html } = await pageOf(`/docs/${slug}`);
    const targets = matches(html, /<a [^>]*?href="([/#][^"]*)"/g);
    expect(targets.length).toBeGreaterThan(5);
    for (const target of new Set(targets)) {
      const [path = '', anchor] = target.split('#');
      const page = path === '' ? { status: 200, html } : await pageOf(path);
      expect([target, page.status]).toEqual([target, 200]);
      if (anchor) expect([target, idsIn(page.html).includes(anchor)]).toEqual([target, true]);
    }
  });

  test('has blocks of known kinds only', async () => {
    for (const sample of samplesOf(await textOf(slug))) {
      const isKnown =
        isRunnable(sample) || isForBrowsers(sample) || ONLY_READ.includes(sample.language);
      expect([sample.language, isKnown]).toEqual([sample.language, true]);
    }
  });

  test.skipIf(!Bun.which('curl'))(
    'has samples that run with curl, and say what it promises',
    async () => {
      const bucket = await createBucket(server, user.token, title);
      const port = String(await freePort());
      const text = filled(await textOf(slug), server.config)
        .replaceAll('YOUR_API_KEY', bucket.api_key)
        .replaceAll('YOUR_BUCKET_ID', bucket.id)
        .replaceAll('YOUR_SESSION', user.token)
        .replaceAll('YOUR_WEBHOOK_URL', `http://127.0.0.1:${port}/hook`);
      const samples = samplesOf(text).filter(isRunnable);
      const folder = await workplace();
      try {
        const outputs = await runSamples(samples, folder, { PORT: port });
        expect(outputs).toHaveLength(samples.length);
        for (const [index, { code, output }] of samples.entries()) {
          if (output === null) continue;
          const words = outputs[index] ?? '';
          expect([code, words, isAsPromised(output, words)]).toEqual([code, words, true]);
        }
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
      await processed(bucket.id);
    },
  );
});

/** Makes a folder with everything that the samples use: media, libraries, and the server with its data. */
async function workplace(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-guide-'));
  await Bun.write(join(folder, 'photo.jpg'), await photo());
  await Bun.write(join(folder, 'report.pdf'), '%PDF-1.7\n');
  const size = { width: 640, height: 360 };
  await Bun.write(join(folder, 'clip.mp4'), await clip({ ...size, seconds: 2 }));
  await Bun.write(join(folder, 'film.mp4'), await clipOfSize(10 * MIB, size));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await symlink(join(ROOT, 'server'), join(folder, 'server'));
  await symlink(server.dataDir, join(folder, 'data'));
  return folder;
}

/** No job of this page may disturb the next one. The page may have rotated its key. */
async function processed(bucketId: string) {
  const detail = await user.client.fetch(`/buckets/${bucketId}`, { headers: user.authorization });
  const bucket = (await detail.json()) as { id: string; api_key: string };
  for (const { id } of (await listFiles(server, bucket)).data) {
    expect((await waitForFile(server, bucket, id)).status).toBe('success');
  }
}

test('a page that is not there is a page that says so', async () => {
  for (const name of ['nothing', 'quick-start.md', '..%2Fdecisions', 'constructor']) {
    const { status, html } = await pageOf(`/docs/${name}`);
    expect([name, status, html.includes('Something&#x27;s missing.')]).toEqual([name, 404, true]);
  }
});

test('all of the guide can be reached from the reference, in its order', async () => {
  const { html } = await pageOf('/docs');
  const listed = matches(html, /href="\/docs\/([a-z0-9-]+)"/g);
  // The navigation has them, and the list of all pages.
  const slugs = GUIDE_PAGES.map(({ slug }) => slug);
  expect(listed).toEqual([...slugs, ...slugs]);
});

test('whoever reads from page to page reads all of them', async () => {
  const slugs: string[] = [];
  for (let slug = GUIDE_PAGES[0]?.slug; slug; ) {
    slugs.push(slug);
    [slug] = matches((await pageOf(`/docs/${slug}`)).html, /href="\/docs\/([^"]*)" rel="next"/g);
  }
  expect(slugs).toEqual(GUIDE_PAGES.map((page) => page.slug));
});
