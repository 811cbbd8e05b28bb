import { SECOND } from '../../contract/limits.ts';

export const BEAT_INTERVAL_MS = SECOND;
/** Whatever any process sends shows that we still hear, so only one of many has to ask, and while nothing happens. */
const ASK_AFTER_BEATS = 2;
/** With the interval, this is how long messages can be missed without anybody knowing. */
const DEAF_AFTER_BEATS = 5;

/**
 * Finds out whether a connection still receives, which it can't know by itself while the other machine sends nothing.
 * It counts beats instead of time, so that a process that was stopped for a while does not take itself for deaf.
 */
export class Heartbeat {
  private silentBeats = 0;

  /** Tells that something was received. */
  heard(): void {
    this.silentBeats = 0;
  }

  /** Returns whether the connection has to be asked for a sign of life, or has given none. */
  beat(): 'alive' | 'ask' | 'deaf' {
    this.silentBeats += 1;
    if (this.silentBeats === ASK_AFTER_BEATS) return 'ask';
    if (this.silentBeats < DEAF_AFTER_BEATS) return 'alive';
    this.silentBeats = 0;
    return 'deaf';
  }
}
