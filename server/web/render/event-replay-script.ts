import { replayEarlyEvents } from '../../../islands/page/event-replay.ts';
import { HYDRATED_EVENT } from '../../../islands/page/page-events.ts';
import { replayKeys } from '../../../islands/page/replay-keys.ts';
import { replayPresses } from '../../../islands/page/replay-presses.ts';
import { SHORTCUTS } from '../../contract/shortcuts.ts';

/** Every key of the shortcuts, those of two keys being two. */
const KEYS = [...new Set(Object.values(SHORTCUTS).flatMap(({ keys }) => keys.split(' ')))];

/** Runs before anything can be pressed; a script of its own would come too late. */
export const EVENT_REPLAY_SCRIPT = `(${replayEarlyEvents})(${JSON.stringify(HYDRATED_EVENT)},${JSON.stringify(KEYS)},[${replayPresses},${replayKeys}])`;
