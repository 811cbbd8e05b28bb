import { replayEvents, replayKeys, replayPresses } from '../../../islands/page/event-replay.ts';
import { HYDRATED_EVENT } from '../../../islands/runtime/page-events.ts';
import { SHORTCUTS } from '../../contract/shortcuts.ts';

/** All keys of the shortcuts. A shortcut of two keys has two entries. */
const KEYS = [...new Set(Object.values(SHORTCUTS).flatMap(({ keys }) => keys.split(' ')))];

/**
 * The script that records early clicks and keys. It is inline, because a file would be loaded too
 * late.
 */
export const EVENT_REPLAY_SCRIPT = `(${replayEvents})(${JSON.stringify(HYDRATED_EVENT)},${JSON.stringify(KEYS)},[${replayPresses},${replayKeys}])`;

/**
 * The script that sets the theme. It is inline and runs before the first paint, so that nobody sees
 * the wrong theme. Reading local storage throws where it is disabled. islands/page/theme.ts applies
 * the same rule when the choice changes.
 */
export const THEME_SCRIPT = `(()=>{let t;try{t=localStorage.getItem('theme')}catch{}const l=t==='light'||t==='system'&&matchMedia('(prefers-color-scheme: light)').matches;document.documentElement.dataset.theme=l?'wharf-light':'wharf-dark'})()`;
