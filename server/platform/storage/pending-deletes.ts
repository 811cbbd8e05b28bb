import type { Executor } from '../db/port.ts';
import {
  areDeletionsPaused,
  dueDeletes,
  finishDelete,
  startDelete,
} from './pending-deletes-store.ts';
import type { ObjectStore } from './port.ts';

const BATCH_SIZE = 100;

/**
 * Deletes the objects of pending deletes that are due, and then their rows. Does nothing while a backup has
 * paused deletions. Returns the number of deleted prefixes.
 */
export async function runPendingDeletes(
  db: Executor,
  objects: ObjectStore,
  now: number,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    if (await areDeletionsPaused(db, now)) return deleted;
    const prefixes = await dueDeletes(db, now, BATCH_SIZE);
    for (const prefix of prefixes) {
      if (!(await startDelete(db, prefix, now))) continue;
      await objects.deletePrefix(prefix);
      await finishDelete(db, prefix);
      deleted += 1;
    }
    if (prefixes.length < BATCH_SIZE) return deleted;
  }
}
