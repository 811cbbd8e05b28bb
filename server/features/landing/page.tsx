import { Elysia } from 'elysia';
import { renderPage } from '../../web/render/page.tsx';
import type { Viewers } from '../../web/render/private-page.ts';
import { Landing } from './landing.tsx';

type Site = {
  accounts: Viewers;
  appUrl: string;
  docsUrl: string | null;
  videoChannelUrl: string | null;
  sourceUrl: string | null;
  prices: { storage: number; bandwidth: number; upload: number };
};

/** `/`. It loads no React, and its photo after the first paint. */
export function landingPages(site: Site) {
  return new Elysia({ name: 'landing-pages', detail: { hide: true } }).get(
    '/',
    async ({ request }) =>
      renderPage({
        title: 'Upload, Store, and Deliver Files with Confidence',
        canonical: `${site.appUrl}/`,
        viewer: await site.accounts.viewerOf(request),
        docsUrl: site.docsUrl,
        scripts: ['landing.js'],
        openings: { framesOurs: true },
        body: <Landing {...site} />,
      }),
  );
}
