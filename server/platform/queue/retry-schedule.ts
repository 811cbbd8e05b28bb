import { MINUTE, SECOND } from '../../contract/limits.ts';

/** Milliseconds. */
export type QueueTimes = {
  poll: number;
  heartbeat: number;
  lease: number;
  backOff: number;
  /** How long a job waits when what it depends on is unavailable. */
  away: number;
};

export const DEFAULT_QUEUE_TIMES: QueueTimes = {
  poll: SECOND,
  heartbeat: 10 * SECOND,
  lease: MINUTE / 2,
  backOff: 2 * SECOND,
  away: 10 * SECOND,
};
