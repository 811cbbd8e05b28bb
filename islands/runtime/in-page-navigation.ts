import { isPrivatePath } from '../../server/contract/return-path.ts';
import { endIslands, startIslands } from './hydration.ts';
import { notify } from './notify.ts';
import { CHANGED_EVENT, CONTENT_EVENT, OPEN_EVENT } from './page-events.ts';
import { discardPrefetch, loadPage, partsOf, prefetchPage } from './page-loading.ts';
import { keepVisit, restoreLists, restoreScrolling, type Visit } from './visits.ts';

/** A pointer that rests on a link for so long is about to click it. */
const HOVER_DELAY_MS = 80;

const UNREACHABLE = 'The page couldn’t be loaded. Check your connection and try again.';

/** The path of the page that is shown, which the address leaves first on the way back. */
let shown = '';
let loading = new AbortController();

/**
 * Shows the pages of the dashboard in this document, because another one would load and start every script again,
 * and would end its uploads. Does nothing on other pages. Called once, before any island starts.
 */
export function startInPageNavigation() {
  if (!isPrivatePath(location.pathname)) return;
  shown = location.pathname;
  // The browser would prefetch pages only for documents.
  document.querySelector('script[type=speculationrules]')?.remove();
  prefetchOnHover();
  document.addEventListener(CHANGED_EVENT, discardPrefetch);
  document.addEventListener('click', (event) => {
    const url = targetOf(event);
    if (!url) return;
    event.preventDefault();
    open(url);
  });
  document.addEventListener(OPEN_EVENT, (event) => {
    event.preventDefault();
    open(new URL((event as CustomEvent<string>).detail, location.href));
  });
  window.addEventListener('popstate', (event) => {
    // An island changes what stands behind the path by itself.
    if (location.pathname === shown) return;
    // The islands of the page that is left don't read the query of the other one.
    event.stopImmediatePropagation();
    void show(new URL(location.href), { isBack: true, enter: () => {} });
  });
  keepScrollingOurs();
}

/** The browser restores where a page was scrolled to before it is shown. After a reload it is better at it. */
function keepScrollingOurs() {
  history.scrollRestoration = 'manual';
  window.addEventListener('pagehide', () => {
    history.scrollRestoration = 'auto';
  });
  window.addEventListener('pageshow', () => {
    history.scrollRestoration = 'manual';
  });
}

/** Loads the page of a link that the pointer rests on, or that is pressed. */
function prefetchOnHover() {
  let timer = 0;
  document.addEventListener(
    'pointerover',
    (event) => {
      clearTimeout(timer);
      const url = linkAt(event.target);
      if (url) timer = window.setTimeout(() => prefetchPage(url), HOVER_DELAY_MS);
    },
    { passive: true },
  );
  document.addEventListener('pointerdown', ({ target }) => {
    const url = linkAt(target);
    if (url) prefetchPage(url);
  });
}

/** Returns the page that a click opens in this tab; null for anything else. */
function targetOf(event: MouseEvent): URL | null {
  const { button, ctrlKey, metaKey, shiftKey, altKey, target } = event;
  if (event.defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey)
    return null;
  return linkAt(target);
}

/** Returns the page of the dashboard that the link around an element leads to; null for anything else. */
function linkAt(target: EventTarget | null): URL | null {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null;
  if (!link || link.target || link.hasAttribute('download')) return null;
  const url = new URL(link.href);
  const isHere = url.pathname === location.pathname && url.search === location.search;
  const isOurs = url.origin === location.origin && isPrivatePath(url.pathname);
  return isOurs && !(isHere && url.hash) ? url : null;
}

/** Opens a page as the next one, or again if it is shown. */
function open(url: URL) {
  const change = url.href === location.href ? 'replaceState' : 'pushState';
  void show(url, { isBack: false, enter: () => history[change](null, '', url) });
}

/**
 * Loads a page and puts it into this document. What can't be shown so is opened by the browser, and without a
 * connection the page stays.
 */
async function show(url: URL, { isBack, enter }: { isBack: boolean; enter: () => void }) {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  document.querySelector('#main')?.setAttribute('aria-busy', 'true');
  const page = await loadPage(url).catch(() => undefined);
  if (signal.aborted) return;
  document.querySelector('#main')?.removeAttribute('aria-busy');
  // The browser's own error page would end the uploads that wait for the connection.
  if (page === undefined) return notify.error(UNREACHABLE);
  if (page === null) return location.assign(url);
  fade(() => {
    // The user may have opened another page until the browser has painted this one.
    if (signal.aborted) return;
    keepVisit(shown);
    endIslands(partsOf(document));
    enter();
    shown = url.pathname;
    const visit = isBack ? restoreLists(shown) : null;
    replaceParts(page);
    focusPage(page.title, visit);
  });
}

/** Changes the document, with a transition that styles/motion.css defines where people have not turned motion off. */
function fade(change: () => void) {
  const mayMove = matchMedia('(prefers-reduced-motion: no-preference)').matches;
  if (!mayMove || !('startViewTransition' in document)) return change();
  const { ready, finished } = document.startViewTransition(change);
  // A transition that is skipped, as in a hidden tab, is no error: the change itself is made.
  ready.catch(() => {});
  finished.catch(() => {});
}

/** Starts the page that has been put into the document, where it was left if it was shown before. */
function focusPage(title: string, visit: Visit | null) {
  document.title = title;
  const main = document.querySelector<HTMLElement>('#main');
  main?.setAttribute('tabindex', '-1');
  main?.focus({ preventScroll: true });
  scrollTo(0, 0);
  for (const element of partsOf(document)) startIslands(element, { isFirstPage: false });
  if (visit) restoreScrolling(visit);
  discardPrefetch();
  document.dispatchEvent(new Event(CONTENT_EVENT));
}

function replaceParts(page: Document) {
  const parts = partsOf(page);
  const [first] = partsOf(document);
  first?.before(...parts);
  for (const element of partsOf(document)) if (!parts.includes(element)) element.remove();
}
