import { Elysia } from 'elysia';
import { memoizeAsync } from '../../contract/memoize.ts';
import { notFound } from '../../errors.ts';
import { loadHighlight } from '../../web/code/highlight.ts';
import { fixedJson } from '../../web/http/fixed-response.ts';
import type { CompressedPart } from '../../web/http/gzip-parts.ts';
import { type FooterLinks, footerOf } from '../../web/layout/footer.tsx';
import { FIXED_PART, renderFixedPart, renderPageAround } from '../../web/render/fixed-part.tsx';
import { renderPage, type Viewers } from '../../web/render/page.tsx';
import { API_GROUPS } from './api-document.ts';
import { groupPath } from './docs-navigation.tsx';
import { GuideLayout } from './guide-layout.tsx';
import { GUIDE_PAGES, type GuidePage } from './guide-pages.ts';
import { type Article, renderMarkdown } from './markdown.tsx';
import { readDocument } from './openapi.ts';
import { ApiGroup, DocsHome } from './reference.tsx';
import { callEntries, guideEntries } from './search-index.ts';

/**
 * Mounts `/docs`, the list of everything, `/docs/api/{group}`, the API reference, which is rendered from the OpenAPI
 * document, and `/docs/{page}`, the guide. The pages are public, and load neither React nor anything from other hosts.
 * Those of the reference are rendered once.
 * @param document returns the OpenAPI 3.0 document
 */
export function docsPages(
  site: FooterLinks & {
    accounts: Viewers;
    appUrl: string;
    cdnUrl: string;
    document: () => Promise<unknown>;
  },
) {
  const { accounts, docsUrl, appUrl } = site;
  const guide = createGuide(site);
  const reference = memoizeAsync(async () => readDocument(await site.document()));
  const home = memoizeAsync(async () => renderFixedPart(<DocsHome {...(await reference())} />));
  const groupPages = new Map(
    API_GROUPS.map(({ name }) => [
      groupPath(name),
      { name, part: memoizeAsync(() => renderGroup(name)) },
    ]),
  );
  const renderGroup = async (name: string) => {
    const { server, groups } = await reference();
    const group = groups.find((one) => one.name === name);
    const highlight = await loadHighlight();
    return group
      ? renderFixedPart(<ApiGroup server={server} group={group} highlight={highlight} />)
      : null;
  };
  const respond = async (request: Request, path: string, title: string, part: CompressedPart) =>
    renderPageAround(request, part, {
      title,
      description:
        'The Wharf guide, and every API call with its parameters, responses and an example.',
      canonical: appUrl + path,
      cacheForVisitors: true,
      viewer: await accounts.viewerOf(request),
      docsUrl,
      scripts: ['docs.js'],
      body: (
        <>
          {FIXED_PART}
          {await footerOf(site)}
        </>
      ),
    });
  const searchEntries = fixedJson(async () => {
    const articles = await Promise.all(GUIDE_PAGES.map(({ slug }) => guide.article(slug)));
    const entries = articles.flatMap((one) => (one ? guideEntries(one.page, one.article) : []));
    return [...entries, ...callEntries((await reference()).groups)];
  });

  return new Elysia({ name: 'docs-pages', detail: { hide: true } })
    .get('/docs', async ({ request }) => respond(request, '/docs', 'Documentation', await home()))
    .get('/docs/api/:group', async ({ request }) => {
      const { pathname } = new URL(request.url);
      const page = groupPages.get(pathname);
      const part = await page?.part();
      if (!page || !part) throw notFound('Page');
      return respond(request, pathname, `${page.name} API`, part);
    })
    .get('/docs/search.json', ({ request }) => searchEntries(request))
    .get('/docs/:page', async ({ request, params }) => {
      const guidePage = await guide.article(params.page);
      if (!guidePage) throw notFound('Page');
      const { page } = guidePage;
      return renderPage({
        title: page.title,
        description: page.summary,
        canonical: `${appUrl}/docs/${page.slug}`,
        cacheForVisitors: true,
        viewer: await accounts.viewerOf(request),
        docsUrl,
        scripts: ['docs.js'],
        body: (
          <>
            <GuideLayout {...guidePage} />
            {await footerOf(site)}
          </>
        ),
      });
    });
}

/** The URLs that replace the placeholders in the texts. */
type Addresses = { appUrl: string; cdnUrl: string };

/**
 * Creates the guide, with the URLs of this server in its examples. A page is rendered when it is
 * first requested and then cached, which is bounded by the number of pages.
 */
function createGuide(addresses: Addresses) {
  const rendered = new Map<string, () => Promise<Article>>();

  const render = async (page: GuidePage) =>
    renderMarkdown(filled((await page.load()).default, addresses));

  return {
    /** Returns a page of the guide; null where there is no such page. */
    async article(slug: string): Promise<{ page: GuidePage; article: Article } | null> {
      const page = GUIDE_PAGES.find((one) => one.slug === slug);
      if (!page) return null;
      const article = rendered.get(slug) ?? memoizeAsync(() => render(page));
      rendered.set(slug, article);
      return { page, article: await article() };
    },
  };
}

export const filled = (text: string, { appUrl, cdnUrl }: Addresses): string =>
  text.replaceAll('{APP_URL}', appUrl).replaceAll('{CDN_URL}', cdnUrl);
