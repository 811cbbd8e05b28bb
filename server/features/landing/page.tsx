import { Elysia } from 'elysia';
import { memoizeAsync } from '../../contract/memoize.ts';
import { type Highlight, loadHighlight } from '../../web/code/highlight.ts';
import { type FooterLinks, footerOf } from '../../web/layout/footer.tsx';
import { FIXED_PART, renderFixedPart, renderPageAround } from '../../web/render/fixed-part.tsx';
import type { Viewers } from '../../web/render/page.tsx';
import { Claims } from './claims.tsx';
import { Clip } from './clip.tsx';
import { CodeSection } from './code.tsx';
import { ComparisonTable } from './comparison-table.tsx';
import { Hero } from './hero.tsx';
import { type Prices, Pricing } from './pricing.tsx';
import { Product } from './product.tsx';
import { Questions } from './questions.tsx';

type Site = FooterLinks & {
  accounts: Viewers;
  appUrl: string;
  prices: { storage: number; bandwidth: number; upload: number };
  /** How many regions store files apart from each other. */
  regionCount: number;
};

/** Mounts the landing page at `/`. It loads no React, and its pictures only after the first paint. */
export function landingPages(site: Site) {
  const render = async (isSignedIn: boolean) =>
    renderFixedPart(<Main {...site} isSignedIn={isSignedIn} highlight={await loadHighlight()} />);
  const main = memoizeAsync(() => render(false));
  const ownMain = memoizeAsync(() => render(true));
  return new Elysia({ name: 'landing-pages', detail: { hide: true } }).get(
    '/',
    async ({ request }) => {
      const viewer = await site.accounts.viewerOf(request);
      return renderPageAround(request, await (viewer ? ownMain() : main()), {
        title: 'Upload, Store, and Deliver Files with Confidence',
        canonical: `${site.appUrl}/`,
        cacheForVisitors: true,
        viewer,
        docsUrl: site.docsUrl,
        scripts: ['landing.js'],
        openings: { framesOurs: true },
        body: (
          <>
            {FIXED_PART}
            {await footerOf(site)}
          </>
        ),
      });
    },
  );
}

function Main(site: {
  appUrl: string;
  docsUrl: string | null;
  prices: Prices;
  regionCount: number;
  isSignedIn: boolean;
  highlight: Highlight;
}) {
  return (
    <main id="main">
      <Hero appUrl={site.appUrl} docsUrl={site.docsUrl} isSignedIn={site.isSignedIn} />
      <Product />
      <Claims regions={site.regionCount} />
      <Clip />
      <ComparisonTable />
      <CodeSection appUrl={site.appUrl} highlight={site.highlight} />
      <Pricing prices={site.prices} />
      <Questions />
    </main>
  );
}
