import { isPrivatePath } from '../../server/contract/return-path.ts';
import { endIslands, loadIslands, startIslands } from './hydration.ts';
import { notify } from './notify.ts';
import { CONTENT_EVENT } from './page-events.ts';

/** Where the parts of a page that change from one to the next begin and end; see Document. */
const FIRST = 'header.bar';
const AFTER_LAST = '[data-connection]';

const UNREACHABLE = 'The page couldn’t be loaded. Check your connection and try again.';

/** The path of the page that is shown, which the address leaves first on the way back. */
let shown = '';
let loading = new AbortController();

/**
 * Shows the dashboard's pages in this document while `isNeeded`, because loading another document would end
 * what this one does. Called once.
 */
export function startInPageNavigation(isNeeded: () => boolean) {
  shown = location.pathname;
  document.addEventListener('click', (event) => {
    const url = isNeeded() ? targetOf(event) : null;
    if (!url) return;
    event.preventDefault();
    void show(url, () => history.pushState(null, '', url));
  });
  window.addEventListener('popstate', () => {
    // An island changes what stands behind the path by itself.
    if (location.pathname !== shown) void show(new URL(location.href), () => {});
  });
}

/** Returns the page that a click opens in this tab; null for anything else. */
function targetOf(event: MouseEvent): URL | null {
  const { button, ctrlKey, metaKey, shiftKey, altKey, target } = event;
  if (event.defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey)
    return null;
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null;
  if (!link || link.target || link.hasAttribute('download')) return null;
  const url = new URL(link.href);
  const isHere = url.pathname === location.pathname && url.search === location.search;
  const isOurs = url.origin === location.origin && isPrivatePath(url.pathname);
  return isOurs && !(isHere && url.hash) ? url : null;
}

/**
 * Loads a page and puts it into this document. What can't be shown so is opened by the browser, and without a
 * connection the page stays.
 */
async function show(url: URL, enter: () => void) {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  document.querySelector('#main')?.setAttribute('aria-busy', 'true');
  const page = await load(url, signal).catch(() => undefined);
  if (signal.aborted) return;
  document.querySelector('#main')?.removeAttribute('aria-busy');
  // The browser's own error page would end the uploads that wait for the connection.
  if (page === undefined) return notify.error(UNREACHABLE);
  if (page === null) return location.assign(url);
  endIslands(partsOf(document));
  enter();
  shown = url.pathname;
  replaceParts(page);
  document.title = page.title;
  const main = document.querySelector<HTMLElement>('#main');
  main?.setAttribute('tabindex', '-1');
  main?.focus({ preventScroll: true });
  scrollTo(0, 0);
  for (const element of partsOf(document)) startIslands(element, { isFirstPage: false });
  document.dispatchEvent(new Event(CONTENT_EVENT));
}

/**
 * Returns the document of a page; null for a redirect, an error, another user or no page at all. Rejects
 * without a connection.
 */
async function load(url: URL, signal: AbortSignal): Promise<Document | null> {
  const response = await fetch(url, { headers: { accept: 'text/html' }, signal });
  const isPage = response.headers.get('content-type')?.startsWith('text/html');
  if (!response.ok || response.redirected || !isPage) return null;
  const html = await response.text();
  const page = new DOMParser().parseFromString(withOwnNonce(html, response), 'text/html');
  const isSameUser =
    page.documentElement.dataset.viewer === document.documentElement.dataset.viewer;
  if (!isSameUser || partsOf(page).length === 0) return null;
  await loadIslands(page);
  return page;
}

/** The policy of this document also holds for what it parses, and allows only styles with its own nonce. */
function withOwnNonce(html: string, { headers }: Response): string {
  const nonce = /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1];
  const own = document.querySelector<HTMLElement>('script[nonce]')?.nonce;
  return nonce && own ? html.replaceAll(nonce, own) : html;
}

/** Returns the elements of a document that belong to its page. */
function partsOf(page: Document): Element[] {
  const parts: Element[] = [];
  const end = page.querySelector(AFTER_LAST);
  for (let part = page.querySelector(FIRST); part && part !== end; part = part.nextElementSibling)
    parts.push(part);
  return end ? parts : [];
}

function replaceParts(page: Document) {
  const parts = partsOf(page);
  for (const element of partsOf(document)) element.remove();
  document.querySelector(AFTER_LAST)?.before(...parts);
}
