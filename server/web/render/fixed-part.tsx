import type { ReactNode } from 'react';
import { makeNonce } from '../http/csp.ts';
import { respondAround } from '../http/fixed-response.ts';
import type { CompressedPart } from '../http/gzip-parts.ts';
import { loadRenderer } from '../islands/island.tsx';
import { headersOf, type PageOptions, renderDocument } from './page.tsx';

/** The place of the fixed part in the body of a page; see `renderPageAround`. */
export const FIXED_PART: ReactNode = <template id="fixed" />;
const FIXED_PART_HTML = '<template id="fixed"></template>';

/** Renders markup without islands that is the same for everybody, which pages then have in common. */
export async function renderFixedPart(markup: ReactNode): Promise<CompressedPart> {
  const { renderToStaticMarkup } = await loadRenderer();
  const { compressPart } = await import('../http/gzip-parts.ts');
  return compressPart(renderToStaticMarkup(markup));
}

/**
 * Renders a page around a part that is rendered and compressed already, in the place of `FIXED_PART`. For
 * those who are not logged in, it has an ETag that is the same with every nonce.
 */
export async function renderPageAround(
  request: Request,
  part: CompressedPart,
  options: PageOptions,
): Promise<Response> {
  const nonce = makeNonce();
  const html = await new Response(await renderDocument(options, nonce)).text();
  const [before = '', after = ''] = html.split(FIXED_PART_HTML);
  const version = `${before.replaceAll(nonce, '')}${part.hash}${after.replaceAll(nonce, '')}`;
  const hasTag = options.cacheForVisitors && !options.viewer;
  const headers = headersOf(options, nonce);
  return respondAround(request, [before, part, after], headers, hasTag ? version : null);
}
