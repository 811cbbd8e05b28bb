import { CONNECTION_EVENT, type ConnectionState, HYDRATED_EVENT } from '../runtime/page-events.ts';
import { listenForCopies } from './copy.ts';
import { showFlashNotice } from './flash-notice.ts';
import { hydrateLazyIslands } from './lazy-islands.ts';
import { invalidatePrefetches } from './prefetch-invalidation.ts';
import { keepPresses } from './presses.ts';
import { checkSession } from './session-check.ts';
import { listenForShortcuts } from './shortcuts.ts';
import { startTheme } from './theme.ts';
import { listenForActions, watchBalance } from './top-bar.ts';

const OFFLINE = 'You’re offline. This page will update when you’re back online.';
const SILENT = 'Can’t reach the server. This page will update when the connection is back.';

/** The script of every page. It uses no library. */
checkSession();
startTheme();
keepPresses();
listenForActions();
listenForCopies();
hydrateLazyIslands();
listenForShortcuts();
invalidatePrefetches();
watchConnection();
watchBalance();
showFlashNotice();

document.documentElement.dataset.live = '';
document.documentElement.dispatchEvent(new Event(HYDRATED_EVENT, { bubbles: true }));

/** Shows a notice at the bottom of the page while there is no connection. */
function watchConnection() {
  const notice = document.querySelector('[data-connection]');
  let link: ConnectionState = 'up';
  const show = () => {
    const text = navigator.onLine ? (link === 'down' ? SILENT : '') : OFFLINE;
    if (notice && notice.textContent !== text) notice.textContent = text;
  };
  window.addEventListener('online', show);
  window.addEventListener('offline', show);
  document.addEventListener(CONNECTION_EVENT, (event) => {
    link = (event as CustomEvent<ConnectionState>).detail;
    show();
  });
  show();
}
