import { ALIVE } from '../../islands/page/alive.ts';
import { keepEarly } from '../../islands/page/early.ts';
import { keepKeys } from '../../islands/page/early-keys.ts';
import { keepPresses } from '../../islands/page/early-presses.ts';
import { SHORTCUTS } from '../contract/shortcuts.ts';

/** Every key of the shortcuts, those of two keys being two. */
const KEYS = [...new Set(Object.values(SHORTCUTS).flatMap(({ keys }) => keys.split(' ')))];

/** Runs before anything can be pressed; a script of its own would come too late. */
export const EARLY_SCRIPT = `(${keepEarly})(${JSON.stringify(ALIVE)},${JSON.stringify(KEYS)},[${keepPresses},${keepKeys}])`;
