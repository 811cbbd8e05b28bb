import { Elysia } from 'elysia';
import { notFound } from '../../errors.ts';
import { renderPage, type Viewers } from '../../web/render/page.tsx';
import { createGuide } from './guide.ts';
import { GuideLayout } from './guide-layout.tsx';
import { readDocument } from './openapi.ts';
import { Reference } from './reference.tsx';

/**
 * Mounts `/docs`, the API reference, which is rendered from the OpenAPI document, and
 * `/docs/{page}`, the guide. The pages are public, and load neither React nor anything from other
 * hosts.
 * @param document returns the OpenAPI 3.0 document
 */
export function docsPages(site: {
  accounts: Viewers;
  docsUrl: string | null;
  appUrl: string;
  cdnUrl: string;
  document: () => Promise<unknown>;
}) {
  const { accounts, docsUrl, appUrl } = site;
  const guide = createGuide(site);

  return new Elysia({ name: 'docs-pages', detail: { hide: true } })
    .get('/docs', async ({ request }) =>
      renderPage({
        title: 'Documentation',
        description:
          'The Wharf guide, and every API call with its parameters, responses and an example.',
        canonical: `${appUrl}/docs`,
        viewer: await accounts.viewerOf(request),
        docsUrl,
        scripts: ['docs.js'],
        body: <Reference {...readDocument(await site.document())} />,
      }),
    )
    .get('/docs/:page', async ({ request, params }) => {
      const guidePage = await guide.article(params.page);
      if (!guidePage) throw notFound('Page');
      const { page } = guidePage;
      return renderPage({
        title: page.title,
        description: page.summary,
        canonical: `${appUrl}/docs/${page.slug}`,
        viewer: await accounts.viewerOf(request),
        docsUrl,
        scripts: ['docs.js'],
        body: <GuideLayout {...guidePage} />,
      });
    });
}
