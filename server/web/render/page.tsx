import type { ReactNode } from 'react';
import { documentTitle, MESSAGES } from '../../contract/messages.ts';
import { RETURN_COOKIE, toReturnPath } from '../../contract/return-path.ts';
import type { Viewer } from '../../contract/wire.ts';
import { AppError } from '../../errors.ts';
import { makeNonce, type Openings, pageHeaders } from '../http/csp.ts';
import { loadRenderer, PageContext } from '../islands/island.tsx';
import type { TopBarLocation } from '../layout/top-bar.tsx';
import { Document } from './document.tsx';

const DESCRIPTION =
  'Power your content with our Cloud Storage, CDN, and Optimization Services. Forget the hassle, we handle the scaling.';

/** How long a browser may show a page again that is the same for all visitors. */
const VISITOR_TTL_S = 60;

export type PageOptions = {
  title: string;
  description?: string;
  /** The canonical URL of a public page. */
  canonical?: string;
  viewer: Viewer | null;
  /** Where the viewer is, which the bar highlights. */
  at?: TopBarLocation;
  body: ReactNode;
  docsUrl?: string | null;
  status?: number;
  scripts?: string[];
  openings?: Openings;
  /** Whether the page is the same for everybody who is not logged in. */
  cacheForVisitors?: boolean;
};

/**
 * Renders a page as a stream, with a nonce of its own. The product's name is appended to `title`.
 * Rejects where the page can't be rendered, before anything is sent.
 */
export async function renderPage(options: PageOptions): Promise<Response> {
  const nonce = makeNonce();
  return new Response(await renderDocument(options, nonce), {
    status: options.status ?? 200,
    headers: headersOf(options, nonce),
  });
}

/** Returns the headers of a page with a nonce. */
export const headersOf = (options: PageOptions, nonce: string): Record<string, string> => ({
  ...pageHeaders(nonce, options.openings),
  ...cachingOf(options),
});

/** Renders a page to HTML. Rejects where that is not possible, before anything is sent. */
export async function renderDocument(options: PageOptions, nonce: string): Promise<ReadableStream> {
  const { renderToReadableStream, renderIsland } = await loadRenderer();
  return renderToReadableStream(
    <PageContext value={{ nonce, renderIsland }}>
      <Document
        title={documentTitle(options.title)}
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
      // Errors of the page reject the promise. This is also called when a client disconnects, which
      // React would print by default.
      onError: () => {},
    },
  );
}

/**
 * Returns what browsers may keep of a page. `no-store` would end the page when it is left, while a page
 * without it comes back by the back button as it was. `Vary: *` keeps browsers from taking it out of
 * their HTTP cache instead, which they do for the back button without asking whether it has changed.
 */
function cachingOf({
  status = 200,
  viewer,
  cacheForVisitors,
}: PageOptions): Record<string, string> {
  if (status !== 200) return {};
  if (cacheForVisitors && !viewer) return { 'cache-control': `private, max-age=${VISITOR_TTL_S}` };
  return { 'cache-control': 'private, no-cache', vary: '*' };
}

type Visit = { viewer: Viewer | null; docsUrl?: string | null };

/** Renders the 404 page for unknown paths. */
export const notFoundPage = (visit: Visit) =>
  renderPage({
    ...visit,
    title: "Something's missing.",
    status: 404,
    body: (
      <Notice
        status={404}
        title="Something's missing."
        text="This page doesn’t exist. It may have been deleted, or the link may be incomplete."
      />
    ),
  });

/** Renders the page of a failed request. `text` is a sentence that says what happened. */
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

/** Renders an AppError as a page. Rethrows any other error, which the server then logs. */
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

/** Finds the viewer of a page by the session cookie. */
export type Viewers = { viewerOf(request: Request): Promise<Viewer | null> };

/** What all pages of logged-in users have in common. */
export type PrivateSite = {
  accounts: Viewers;
  docsUrl: string | null;
  /** The URLs from which files are delivered, for the Content-Security-Policy. */
  filesFrom: string[];
};

/** What a page of a logged-in user has of its own. */
export type PrivateContent = Pick<PageOptions, 'title' | 'at' | 'body'>;

/**
 * Renders a page for a logged-in user. A visitor is redirected to /login, which leads back after the
 * login, and an AppError, such as for an unknown bucket, becomes an error page. All have the same policy,
 * because a browser shows one after the other in the same document.
 * @param render returns the content of the page, or a response in its place
 */
export async function privatePage(
  site: PrivateSite,
  request: Request,
  render: (viewer: Viewer) => Promise<PrivateContent | Response>,
): Promise<Response> {
  const { docsUrl, filesFrom } = site;
  const viewer = await site.accounts.viewerOf(request);
  if (!viewer) return toLogin(new URL(request.url));
  try {
    const content = await render(viewer);
    if (content instanceof Response) return content;
    const openings = { filesFrom, framesOurs: true };
    return await renderPage({ ...content, viewer, docsUrl, openings });
  } catch (error) {
    return pageOfError(error, { viewer, docsUrl });
  }
}

/** The cookie only has to outlive the redirect: the login page takes the path out of it. */
const RETURN_TTL_S = 60;

/**
 * Redirects to the login. The path to lead back to is in a cookie that only /login gets, and not in the
 * address, so that no link from elsewhere can choose where a login leads.
 */
function toLogin({ pathname, search }: URL): Response {
  const headers = new Headers({ location: '/login' });
  const path = toReturnPath(pathname + search);
  if (path) headers.append('set-cookie', returnCookie(path, RETURN_TTL_S));
  return new Response(null, { status: 302, headers });
}

const returnCookie = (path: string, maxAge: number) =>
  new Bun.Cookie(RETURN_COOKIE, path, { path: '/login', sameSite: 'lax', maxAge }).toString();

/** The Set-Cookie header that makes the browser forget the path, so that a later login ignores it. */
export const clearedReturnCookie = () => returnCookie('', 0);
