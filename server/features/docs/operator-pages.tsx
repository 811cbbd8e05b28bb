import { join } from 'node:path';
import { Elysia } from 'elysia';
import { notFound } from '../../errors.ts';
import { rawHtml } from '../../web/http/raw-html.ts';
import { renderPage, type Viewers } from '../../web/render/page.tsx';
import { renderMarkdown } from './markdown.tsx';

/** The pages that an operator can add: each is a Markdown file of this name in DATA_DIR. */
const OWN_PAGES = [
  { slug: 'terms', title: 'Terms' },
  { slug: 'privacy', title: 'Privacy' },
];

const fileOf = (dataDir: string, slug: string) => Bun.file(join(dataDir, `${slug}.md`));

/** Returns the pages whose files are there. */
export async function listOperatorPages(
  dataDir: string,
): Promise<{ path: string; title: string }[]> {
  const pages = await Promise.all(
    OWN_PAGES.map(async ({ slug, title }) =>
      (await fileOf(dataDir, slug).exists()) ? [{ path: `/${slug}`, title }] : [],
    ),
  );
  return pages.flat();
}

/** Mounts the operator's terms and privacy notice. A page whose file is missing is not found. */
export function operatorPages(site: {
  accounts: Viewers;
  docsUrl: string | null;
  appUrl: string;
  dataDir: string;
}) {
  const respond = async (slug: string, request: Request) => {
    const file = fileOf(site.dataDir, slug);
    if (!(await file.exists())) throw notFound('Page');
    const { html } = await renderMarkdown(await file.text());
    return renderPage({
      title: OWN_PAGES.find((page) => page.slug === slug)?.title ?? slug,
      canonical: `${site.appUrl}/${slug}`,
      viewer: await site.accounts.viewerOf(request),
      docsUrl: site.docsUrl,
      body: (
        <main id="main" className="mx-auto max-w-[704px] px-4 pt-8 pb-24 sm:px-6">
          <article className="guide" {...rawHtml(html)} />
        </main>
      ),
    });
  };
  return new Elysia({ name: 'operator-pages', detail: { hide: true } })
    .get('/terms', ({ request }) => respond('terms', request))
    .get('/privacy', ({ request }) => respond('privacy', request));
}
