import { loadIslands } from './hydration.ts';

/** Where the parts of a page that change from one to the next begin and end; see Document. */
const FIRST = 'header.bar';
const AFTER_LAST = '[data-connection]';

/** A page is not shown as it was longer ago than this. */
const PREFETCH_TTL_MS = 10_000;

/** The page that the user is expected to open. */
let prefetched: { href: string; at: number; page: Promise<Document | null> } | null = null;

/** Loads a page, with the code of its islands, that the user is about to open. */
export function prefetchPage(url: URL) {
  if (url.href === location.href || isPrefetched(url)) return;
  const page = fetchPage(url);
  // Opening the page tries again.
  page.catch(() => {});
  prefetched = { href: url.href, at: performance.now(), page };
}

/** Forgets the page that was loaded before it is opened, as after every call that has changed something. */
export function discardPrefetch() {
  prefetched = null;
}

const isPrefetched = ({ href }: URL) =>
  prefetched?.href === href && performance.now() - prefetched.at < PREFETCH_TTL_MS;

/**
 * Returns the document of a page; null for what can't be shown in this document: a redirect, an error, another user,
 * another version of the scripts, or no page at all. Rejects without a connection.
 */
export async function loadPage(url: URL): Promise<Document | null> {
  const early = isPrefetched(url) ? prefetched?.page : undefined;
  discardPrefetch();
  const page = await early?.catch(() => undefined);
  return page === undefined ? fetchPage(url) : page;
}

async function fetchPage(url: URL): Promise<Document | null> {
  const response = await fetch(url, { headers: { accept: 'text/html' } });
  const isPage = response.headers.get('content-type')?.startsWith('text/html');
  if (!response.ok || response.redirected || !isPage) return null;
  const html = await response.text();
  const page = new DOMParser().parseFromString(withOwnNonce(html, response), 'text/html');
  const { viewer, build } = page.documentElement.dataset;
  const own = document.documentElement.dataset;
  if (viewer !== own.viewer || build !== own.build || partsOf(page).length === 0) return null;
  preloadScripts(page);
  await loadIslands(page);
  return page;
}

/** Loads all scripts of a page at once, where a browser would discover the imports of one after the other. */
function preloadScripts(page: Document) {
  for (const link of page.querySelectorAll<HTMLLinkElement>('link[rel=modulepreload]')) {
    const href = CSS.escape(link.getAttribute('href') ?? '');
    if (!document.head.querySelector(`link[rel=modulepreload][href="${href}"]`))
      document.head.append(document.importNode(link));
  }
}

/** The policy of this document also holds for what it parses, and allows only styles with its own nonce. */
function withOwnNonce(html: string, { headers }: Response): string {
  const nonce = /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1];
  const own = document.querySelector<HTMLElement>('script[nonce]')?.nonce;
  return nonce && own ? html.replaceAll(nonce, own) : html;
}

/** Returns the elements of a document that belong to its page. */
export function partsOf(page: Document): Element[] {
  const parts: Element[] = [];
  const end = page.querySelector(AFTER_LAST);
  for (let part = page.querySelector(FIRST); part && part !== end; part = part.nextElementSibling)
    parts.push(part);
  return end ? parts : [];
}
