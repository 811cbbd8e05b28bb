import { ALIVE } from '../../../islands/page/alive.ts';
import { replayEarlyEvents } from '../../../islands/page/event-replay.ts';
import { replayKeys } from '../../../islands/page/replay-keys.ts';
import { replayPresses } from '../../../islands/page/replay-presses.ts';
import { SHORTCUTS } from '../../contract/shortcuts.ts';

/** Every key of the shortcuts, those of two keys being two. */
const KEYS = [...new Set(Object.values(SHORTCUTS).flatMap(({ keys }) => keys.split(' ')))];

/** Runs before anything can be pressed; a script of its own would come too late. */
export const EVENT_REPLAY_SCRIPT = `(${replayEarlyEvents})(${JSON.stringify(ALIVE)},${JSON.stringify(KEYS)},[${replayPresses},${replayKeys}])`;
