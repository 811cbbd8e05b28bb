import type { Executor } from '../../../platform/db/port.ts';
import { lastEntryOf } from './costs-store.ts';

/** How often amounts are read at most, while days that are long over are being charged one after the other. */
const MAX_READS = 100;

/**
 * Reads what is not charged yet of an account and what is. A charge that is posted in between would be in both, so
 * they are read again then.
 * @param read reads what is not charged first
 */
export async function readSettled<Result>(
  db: Executor,
  userId: string,
  read: () => Promise<Result>,
): Promise<Result> {
  for (let reads = 1; ; reads += 1) {
    const entry = await lastEntryOf(db, userId);
    const result = await read();
    if (reads === MAX_READS || (await lastEntryOf(db, userId)) === entry) return result;
  }
}
