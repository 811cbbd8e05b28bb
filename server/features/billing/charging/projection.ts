import { DAY, GIB } from '../../../contract/limits.ts';
import type { Prices } from './pricing.ts';

/** What storing `bytes` for `ms` more will cost, in micro-USD. An estimate, so a number will do. */
export const storedUntil = (bytes: number, ms: number, prices: Prices): number =>
  Math.round((bytes / GIB) * (ms / (30 * DAY)) * prices.storage);
