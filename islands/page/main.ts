import { listenForActions } from './actions.ts';
import { listenForCopies } from './copy.ts';
import { guardSession } from './guard.ts';
import { startTheme } from './theme.ts';

/** What every page runs, without any library. */
guardSession();
startTheme();
listenForActions();
listenForCopies();
