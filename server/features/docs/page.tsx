import { Elysia } from 'elysia';
import { renderPage } from '../../web/page.tsx';
import type { Viewers } from '../../web/private-page.ts';
import { readDocument } from './openapi.ts';
import { Reference } from './reference.tsx';

/**
 * `/docs`: the API reference, made here from the OpenAPI document. It loads nothing from elsewhere
 * and no React.
 * @param document answers the OpenAPI 3.0 document, parsed
 */
export function docsPages(site: {
  accounts: Viewers;
  docsUrl: string | null;
  document: () => Promise<unknown>;
}) {
  return new Elysia({ name: 'docs-pages', detail: { hide: true } }).get(
    '/docs',
    async ({ request }) =>
      renderPage({
        title: 'API reference',
        description: 'Every call of the Wharf API, with its parameters, answers and an example.',
        viewer: await site.accounts.viewerOf(request),
        docsUrl: site.docsUrl,
        scripts: ['docs.js'],
        body: <Reference {...readDocument(await site.document())} />,
      }),
  );
}
