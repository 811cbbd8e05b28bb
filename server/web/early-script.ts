import { ALIVE } from '../../islands/page/alive.ts';
import { keepEarly } from '../../islands/page/early.ts';

/** Runs before anything can be pressed; a script of its own would come too late. */
export const EARLY_SCRIPT = `(${keepEarly})(${JSON.stringify(ALIVE)})`;
