import { listenForActions } from './actions.ts';
import { keepBalance } from './balance.ts';
import { watchConnection } from './connection-banner.ts';
import { listenForCopies } from './copy.ts';
import { hydrateLazyIslands } from './lazy-islands.ts';
import { HYDRATED_EVENT } from './page-events.ts';
import { invalidatePrefetches } from './prefetch-invalidation.ts';
import { checkSession } from './session-check.ts';
import { listenForShortcuts } from './shortcuts.ts';
import { startTheme } from './theme.ts';

/** What every page runs, without any library. */
checkSession();
startTheme();
listenForActions();
listenForCopies();
hydrateLazyIslands();
listenForShortcuts();
invalidatePrefetches();
watchConnection();
keepBalance();

document.documentElement.dataset.live = '';
document.documentElement.dispatchEvent(new Event(HYDRATED_EVENT, { bubbles: true }));
