import { Elysia } from 'elysia';
import Code from 'lucide-react/icons/code-xml';
import MonitorPlay from 'lucide-react/icons/monitor-play';
import type { ReactNode } from 'react';
import { memoizeAsync } from '../../contract/memoize-async.ts';
import { docsLink } from '../../web/layout/bar-menus.tsx';
import { Mark } from '../../web/layout/top-bar.tsx';
import { FIXED_PART, renderFixedPart, renderPageAround } from '../../web/render/fixed-part.tsx';
import type { Viewers } from '../../web/render/page.tsx';
import { Claims } from './claims.tsx';
import { Clip } from './clip.tsx';
import { CodeSection } from './code.tsx';
import { ComparisonTable } from './comparison-table.tsx';
import { Hero } from './hero.tsx';
import { type Prices, Pricing } from './pricing.tsx';
import { Questions } from './questions.tsx';

type Site = {
  accounts: Viewers;
  appUrl: string;
  docsUrl: string | null;
  videoChannelUrl: string | null;
  sourceUrl: string | null;
  prices: { storage: number; bandwidth: number; upload: number };
  /** How many regions store files apart from each other. */
  regionCount: number;
  /** Returns the pages of the operator that are there, for the footer. */
  operatorPages: () => Promise<OwnPage[]>;
};

/** A page whose text the operator has written, such as the terms. */
type OwnPage = { path: string; title: string };

/** Mounts the landing page at `/`. It loads no React, and its photo only after the first paint. */
export function landingPages(site: Site) {
  const main = memoizeAsync(() => renderFixedPart(<Main {...site} isSignedIn={false} />));
  const ownMain = memoizeAsync(() => renderFixedPart(<Main {...site} isSignedIn />));
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
            <Footer {...site} operatorPages={await site.operatorPages()} />
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
}) {
  return (
    <main id="main">
      <Hero appUrl={site.appUrl} docsUrl={site.docsUrl} isSignedIn={site.isSignedIn} />
      <Claims regions={site.regionCount} />
      <Clip />
      <ComparisonTable />
      <CodeSection appUrl={site.appUrl} />
      <Pricing prices={site.prices} />
      <Questions />
    </main>
  );
}

function Footer(site: {
  docsUrl: string | null;
  videoChannelUrl: string | null;
  sourceUrl: string | null;
  operatorPages: OwnPage[];
}) {
  return (
    <footer className="border-t border-base-300">
      <div className="mx-auto flex max-w-page items-center justify-between gap-4 px-4 py-6 text-sm sm:px-6">
        <p className="flex items-center gap-2 text-quiet">
          <Mark />© 2025 Wharf
        </p>
        <div className="flex min-h-9 flex-wrap items-center gap-1">
          <a href={docsLink(site.docsUrl)} className="btn btn-ghost font-normal">
            Docs
          </a>
          <a href="/health" className="btn btn-ghost font-normal">
            Status
          </a>
          {site.operatorPages.map(({ path, title }) => (
            <a key={path} href={path} className="btn btn-ghost font-normal">
              {title}
            </a>
          ))}
          {site.videoChannelUrl && (
            <IconLink href={site.videoChannelUrl} label="Video channel">
              <MonitorPlay size={18} aria-hidden />
            </IconLink>
          )}
          {site.sourceUrl && (
            <IconLink href={site.sourceUrl} label="Source code">
              <Code size={18} aria-hidden />
            </IconLink>
          )}
        </div>
      </div>
    </footer>
  );
}

function IconLink(props: { href: string; label: string; children: ReactNode }) {
  return (
    <a
      href={props.href}
      target="_blank"
      rel="noreferrer"
      aria-label={props.label}
      className="btn btn-ghost btn-square"
    >
      {props.children}
    </a>
  );
}
