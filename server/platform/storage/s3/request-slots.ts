import { totalmem } from 'node:os';
import { MIB } from '../../../contract/limits.ts';

/** What one upload may hold: a part that is sent, one that is gathered, one read ahead. */
const EACH = 16 * MIB;

/** How many uploads may hold their parts at once: a quarter of the memory for all of them. */
export function limitConcurrency(): number {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(256, Math.max(8, Math.floor(Math.min(limit, totalmem()) / 4 / EACH)));
}
