import { replayEvents, replayKeys, replayPresses } from '../../../islands/page/event-replay.ts';
import { HYDRATED_EVENT } from '../../../islands/runtime/page-events.ts';
import { SHORTCUTS } from '../../contract/shortcuts.ts';

/** Every key of the shortcuts, those of two keys being two. */
const KEYS = [...new Set(Object.values(SHORTCUTS).flatMap(({ keys }) => keys.split(' ')))];

/** Runs before anything can be pressed; a script of its own would come too late. */
export const EVENT_REPLAY_SCRIPT = `(${replayEvents})(${JSON.stringify(HYDRATED_EVENT)},${JSON.stringify(KEYS)},[${replayPresses},${replayKeys}])`;

/**
 * Runs before the first paint, so that nobody sees the wrong theme. Storage may be forbidden, and
 * then reading it throws. islands/page/theme.ts applies the same rule when the choice changes.
 */
export const THEME_SCRIPT = `(()=>{let t;try{t=localStorage.getItem('theme')}catch{}const l=t==='light'||t==='system'&&matchMedia('(prefers-color-scheme: light)').matches;document.documentElement.dataset.theme=l?'wharf-light':'wharf-dark'})()`;
