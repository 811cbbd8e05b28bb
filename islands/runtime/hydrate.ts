import { createElement } from 'react';
import { memoizeAsync } from '../../server/contract/memoize.ts';
import { onFirstSign } from './first-sign.ts';
import { takeFlashMessage } from './flash-message.ts';
import { client, mountBesidePages, startIslands } from './hydration.ts';
import { startInPageNavigation } from './in-page-navigation.ts';
import { loadPasswordDialog, loadUploadHost } from './manifest.ts';
import { notify, preloadToasts, setToastLoader, startCopyToasts, TOASTS_ID } from './notify.ts';
import { CONTENT_EVENT, UPLOADS_EVENT } from './page-events.ts';
import { setPasswordPrompt } from './password-prompt.ts';
import { islandTree } from './root.tsx';
import { isSessionEnding } from './session.ts';

function start() {
  setPasswordPrompt(async () => (await loadPasswordDialog()).promptForPassword(client));
  // It comes with every upload, so that what failed to load is tried again.
  document.addEventListener(UPLOADS_EVENT, () => void hostUploads().catch(() => {}));
  startInPageNavigation();
  startIslands(document, { isFirstPage: true });
  setToastLoader(memoizeAsync(loadToasts));
  onFirstSign(preloadToasts);
  startCopyToasts();
  showFlashMessage();
  document.addEventListener(CONTENT_EVENT, showFlashMessage);
}

/** Gives toasts their place, which shows only those that are made afterwards. */
async function loadToasts() {
  const { Toaster, toast } = await import('sonner');
  const toaster = createElement(Toaster, {
    position: 'bottom-right',
    // The tray of uploads stands in the same corner.
    offset: { bottom: 'calc(1.5rem + var(--tray-height, 0px))' },
    mobileOffset: { bottom: 'calc(1rem + var(--tray-height, 0px))' },
    duration: 10_000,
    visibleToasts: 20,
  });
  mountBesidePages(TOASTS_ID, toaster).popover = 'manual';
  return toast;
}

function showFlashMessage() {
  // A page that is being left keeps the toast for the next page.
  const message = isSessionEnding() ? null : takeFlashMessage();
  if (message) notify[message.kind](message.text);
}

const hostUploads = memoizeAsync(async () => {
  const { UploadHost } = await loadUploadHost();
  mountBesidePages('uploads', islandTree(client, UploadHost, {}));
});

/**
 * Whether the page and its stylesheet are loaded. Measuring an element before that returns wrong
 * numbers, and it ends the view transition from the previous page.
 */
const isReady = () =>
  document.readyState === 'complete' ||
  (document.readyState === 'interactive' &&
    Boolean(document.querySelector<HTMLLinkElement>('link[rel=stylesheet]')?.sheet));

if (isReady()) start();
else {
  const begin = new AbortController();
  const startOnce = () => {
    begin.abort();
    start();
  };
  // If the stylesheet fails to load, 'load' starts the islands without it.
  document.addEventListener('DOMContentLoaded', startOnce, { signal: begin.signal });
  addEventListener('load', startOnce, { signal: begin.signal });
}
