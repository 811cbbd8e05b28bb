import { MESSAGES } from '../../contract/messages.ts';
import type { Viewer } from '../../contract/wire.ts';
import { AppError } from '../../errors.ts';
import { renderPage } from './page.tsx';

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
