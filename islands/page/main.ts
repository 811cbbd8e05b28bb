import { listenForActions } from './actions.ts';
import { ALIVE } from './alive.ts';
import { keepBalance } from './balance.ts';
import { listenForCopies } from './copy.ts';
import { guardSession } from './guard.ts';
import { wakeLateIslands } from './late.ts';
import { noticeConnection } from './offline.ts';
import { keepPrefetchesFresh } from './prefetched.ts';
import { listenForShortcuts } from './shortcuts.ts';
import { startTheme } from './theme.ts';

/** What every page runs, without any library. */
guardSession();
startTheme();
listenForActions();
listenForCopies();
wakeLateIslands();
listenForShortcuts();
keepPrefetchesFresh();
noticeConnection();
keepBalance();

document.documentElement.dataset.live = '';
document.documentElement.dispatchEvent(new Event(ALIVE, { bubbles: true }));
