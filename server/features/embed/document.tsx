import type { ReactNode } from 'react';
import { assets } from '../../web/assets/assets.ts';
import { makeNonce, pageHeaders } from '../../web/http/csp.ts';

/** The script of the player, and the scripts that it loads next. */
const SCRIPT = 'embed.js';
const NEXT_SCRIPTS = ['controls.js', 'hls.mjs'];

type Page = {
  status: number;
  body: ReactNode;
  /** The URLs from which files are delivered, for the Content-Security-Policy. */
  cdnUrls: string[];
  hasPlayer?: boolean;
  /** Reloads the page after this many seconds. */
  refreshSeconds?: number;
  headers?: Record<string, string>;
};

/** Renders a page for frames on other sites, without bar, cookies or links. */
export async function renderEmbed(page: Page): Promise<Response> {
  const { renderToStaticMarkup } = await import('react-dom/server');
  const nonce = makeNonce();
  const { url, imports } = assets();
  const soon = [
    ...imports(SCRIPT),
    ...NEXT_SCRIPTS.flatMap((name) => [url(name), ...imports(name)]),
  ];
  const html = renderToStaticMarkup(
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        {page.refreshSeconds && <meta httpEquiv="refresh" content={String(page.refreshSeconds)} />}
        <title>Video · Wharf</title>
        <link rel="stylesheet" href={url('embed.css')} />
        <link rel="icon" href={url('favicon.svg')} type="image/svg+xml" />
        {page.hasPlayer && (
          <>
            {[...new Set(soon)].map((href) => (
              <link key={href} rel="modulepreload" href={href} nonce={nonce} />
            ))}
            <script type="module" src={url(SCRIPT)} nonce={nonce} />
          </>
        )}
      </head>
      <body>{page.body}</body>
    </html>,
  );
  return new Response(`<!doctype html>${html}`, {
    status: page.status,
    headers: {
      ...page.headers,
      ...pageHeaders(nonce, { filesFrom: page.cdnUrls, framedByAnyone: true }),
    },
  });
}
