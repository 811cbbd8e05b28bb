import type { ReactNode } from 'react';
import type { Viewer } from '../../contract/wire.ts';
import { assets } from '../assets/assets.ts';
import { jsonForScript, rawHtml } from '../http/raw-html.ts';
import { ShortcutHelp } from '../layout/shortcut-help.tsx';
import { TopBar, type TopBarLocation } from '../layout/top-bar.tsx';
import { EVENT_REPLAY_SCRIPT, THEME_SCRIPT } from './inline-scripts.ts';

type DocumentProps = {
  title: string;
  description: string;
  /** The canonical URL of the page for search engines and link previews. */
  canonical: string | null;
  viewer: Viewer | null;
  at?: TopBarLocation;
  docsUrl: string | null;
  nonce: string;
  /** The logical names of the page's scripts, beside the one that every page has. */
  scripts: string[];
  children: ReactNode;
};

/**
 * Enables the transition between pages, which styles/motion.css defines. It is inline, because
 * Chromium skips the transition with a warning if a style is computed before the stylesheet is
 * loaded.
 */
const TRANSITION_STYLE =
  '@media (prefers-reduced-motion:no-preference){@view-transition{navigation:auto}}';

const END = 'end';

/**
 * The whole page with head, bar and body. By `data-viewer` the scripts know whose page it is, and by `data-build`
 * whether it is of their own build.
 */
export function Document(props: DocumentProps) {
  const { url, build } = assets();
  return (
    <html
      lang="en"
      data-theme="wharf-dark"
      data-viewer={props.viewer?.userId}
      data-build={build}
      suppressHydrationWarning
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="dark light" />
        <title>{props.title}</title>
        <meta name="description" content={props.description} />
        {props.canonical && <Shared {...props} canonical={props.canonical} />}
        <script nonce={props.nonce} {...rawHtml(`${THEME_SCRIPT};${EVENT_REPLAY_SCRIPT}`)} />
        <style nonce={props.nonce} {...rawHtml(TRANSITION_STYLE)} />
        <link
          rel="preload"
          href={url('inter.woff2')}
          as="font"
          type="font/woff2"
          crossOrigin="anonymous"
        />
        <link rel="stylesheet" href={url('app.css')} />
        {/* A slow browser would show what it has read so far, and move it as the rest comes (HTML
            Standard, 4.6.8.7). */}
        <link rel="expect" href={`#${END}`} blocking="render" />
        <link rel="icon" href={url('favicon.svg')} type="image/svg+xml" />
        {['page.js', ...props.scripts].map((name) => (
          <script key={name} type="module" src={url(name)} nonce={props.nonce} />
        ))}
        {props.viewer && <SpeculationRules nonce={props.nonce} />}
      </head>
      <body>
        <a
          href="#main"
          className="btn btn-primary fixed top-2 left-2 z-50 -translate-y-16 focus:translate-y-0"
        >
          Skip to content
        </a>
        <TopBar viewer={props.viewer} at={props.at} docsUrl={props.docsUrl} />
        {props.children}
        <p role="status" data-connection className="connection" />
        {props.viewer && <ShortcutHelp />}
        <template id={END} />
      </body>
    </html>
  );
}

/** The metadata for previews of links to the page, by the Open Graph protocol. */
function Shared({
  canonical,
  title,
  description,
}: Pick<DocumentProps, 'title' | 'description'> & { canonical: string }) {
  return (
    <>
      <link rel="canonical" href={canonical} />
      <meta property="og:site_name" content="Wharf" />
      <meta property="og:type" content="website" />
      <meta property="og:url" content={canonical} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:image" content={new URL(assets().url('photo.jpg'), canonical).href} />
      <meta property="og:image:alt" content="A red panda asleep on a stump among maple leaves." />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  );
}

/**
 * The rules by which browsers prefetch pages of the dashboard while the pointer is over their link.
 * They don't prerender, because the scripts of a page must run only when the user opens it.
 */
const RULES = {
  prefetch: [
    {
      where: {
        and: [
          {
            or: [
              '/dashboard',
              '/dashboard/*',
              '/profile',
              '/profile/*',
              '/billing',
              '/admin/*',
            ].map((path) => ({
              href_matches: path,
            })),
          },
          { not: { selector_matches: '[target=_blank], [download]' } },
        ],
      },
      eagerness: 'moderate',
    },
  ],
};

/** The script element with the rules. Browsers without speculation rules ignore it. */
const SpeculationRules = ({ nonce }: { nonce: string }) => (
  <script type="speculationrules" nonce={nonce} {...rawHtml(jsonForScript(RULES))} />
);
