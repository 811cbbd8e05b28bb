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
 * Removes the objects whose deletion is due, and then the rows that asked for it; nothing while a
 * backup has paused deletions. Returns how many prefixes it deleted.
 */
export async function runPendingDeletes(
  db: Executor,
  objects: ObjectStore,
  now: number,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    if (await areDeletionsPaused(db, now)) return deleted;
    const due = await dueDeletes(db, now, BATCH_SIZE);
    for (const prefix of due) {
      if (!(await startDelete(db, prefix, now))) continue;
      await objects.deletePrefix(prefix);
      await finishDelete(db, prefix);
      deleted += 1;
    }
    if (due.length < BATCH_SIZE) return deleted;
  }
}
