import type { ReactNode } from 'react';
import type { Viewer } from '../../contract/wire.ts';
import { makeNonce, type Openings, pageHeaders } from '../http/csp.ts';
import { loadRenderer, PageContext } from '../islands/renderer.ts';
import type { Place } from '../layout/top-bar.tsx';
import { Document } from './document.tsx';

const DESCRIPTION =
  'Power your content with our Cloud Storage, CDN, and Optimization Services. Forget the hassle, we handle the scaling.';

export type PageOptions = {
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
