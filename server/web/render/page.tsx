import type { ReactNode } from 'react';
import { MESSAGES } from '../../contract/messages.ts';
import type { Viewer } from '../../contract/wire.ts';
import { AppError } from '../../errors.ts';
import { makeNonce, type Openings, pageHeaders } from '../http/csp.ts';
import { loadRenderer, PageContext } from '../islands/island.tsx';
import type { Place } from '../layout/top-bar.tsx';
import { Document } from './document.tsx';

const DESCRIPTION =
  'Power your content with our Cloud Storage, CDN, and Optimization Services. Forget the hassle, we handle the scaling.';

type PageOptions = {
  title: string;
  description?: string;
  /** The one address of a page that others may link to and show. */
  canonical?: string;
  viewer: Viewer | null;
  /** Where the viewer is, for the bar: on the list of all buckets, or on a page of one. */
  at?: Place;
  body: ReactNode;
  docsUrl?: string | null;
  status?: number;
  scripts?: string[];
  openings?: Openings;
};

/**
 * Renders a page as a stream, with its own nonce. `title` gets the product's name behind it.
 * Rejects when the page can't be rendered, before anything is sent.
 */
export async function renderPage(options: PageOptions): Promise<Response> {
  const { renderToReadableStream, renderIsland } = await loadRenderer();
  const nonce = makeNonce();
  const stream = await renderToReadableStream(
    <PageContext value={{ nonce, renderIsland }}>
      <Document
        title={`${options.title} · Wharf`}
        description={options.description ?? DESCRIPTION}
        canonical={options.canonical ?? null}
        viewer={options.viewer}
        at={options.at}
        docsUrl={options.docsUrl ?? null}
        nonce={nonce}
        scripts={options.scripts ?? []}
      >
        {options.body}
      </Document>
    </PageContext>,
    {
      nonce,
      // Errors in the page reject the promise above; all that comes here besides is a client that
      // went away, which React's default would print.
      onError: () => {},
    },
  );
  return new Response(stream, {
    status: options.status ?? 200,
    headers: pageHeaders(nonce, options.openings),
  });
}

type Visit = { viewer: Viewer | null; docsUrl?: string | null };

/** The 404 page, for any path nobody answers. */
export const notFoundPage = (visit: Visit) =>
  renderPage({
    ...visit,
    title: "Something's missing.",
    status: 404,
    body: (
      <Notice
        status={404}
        title="Something's missing."
        text="This page doesn't exist. It may have been deleted, or the link may be incomplete."
      />
    ),
  });

/** The page of a request that failed. `text` says what happened, for a person. */
export const errorPage = (visit: Visit & { status: number; text?: string }) =>
  renderPage({
    ...visit,
    title: MESSAGES.unexpected,
    body: (
      <Notice
        status={visit.status}
        title={visit.text ?? MESSAGES.unexpected}
        text={
          visit.status < 500
            ? 'Nothing was changed. Check the address, or start again from the home page.'
            : 'Nothing was changed. Reload the page. If the error persists, check the server’s log.'
        }
      />
    ),
  });

/** Renders a known failure as a page. Throws what is not one, for the server to log. */
export function pageOfError(error: unknown, visit: Visit): Promise<Response> {
  if (!(error instanceof AppError)) throw error;
  return error.status === 404
    ? notFoundPage(visit)
    : errorPage({ ...visit, status: error.status, text: error.text });
}

function Notice({ status, title, text }: { status: number; title: string; text: string }) {
  return (
    <main
      id="main"
      // The bar is 56 px and its line.
      className="mx-auto flex min-h-[calc(100dvh-3.5rem-1px)] max-w-xl flex-col items-center justify-center px-4 pb-24 text-center"
    >
      <p className="font-mono text-sm text-primary">{status}</p>
      <h1 className="mt-3 text-3xl font-semibold tracking-tight text-balance">{title}</h1>
      <p className="mt-3 text-balance text-quiet">{text}</p>
      <a href="/" className="btn btn-primary mt-8">
        Go Home
      </a>
    </main>
  );
}

/** What tells, from the session cookie alone, who looks at a page. */
export type Viewers = { viewerOf(request: Request): Promise<Viewer | null> };

/**
 * Renders a page for a signed-in viewer. A visitor is sent to /login; a known failure, such as a
 * bucket that is not there, becomes its page.
 */
export async function privatePage(
  site: { accounts: Viewers; docsUrl: string | null },
  request: Request,
  render: (viewer: Viewer) => Promise<Response>,
): Promise<Response> {
  const viewer = await site.accounts.viewerOf(request);
  if (!viewer) return toLogin();
  try {
    return await render(viewer);
  } catch (error) {
    return pageOfError(error, { viewer, docsUrl: site.docsUrl });
  }
}

const toLogin = () =>
  new Response(null, {
    status: 302,
    headers: { location: '/login', 'cache-control': 'private, no-store' },
  });
