import { type Database, isOnPostgres } from '../../platform/db/port.ts';
import { changedBuckets, foldBuckets, lockFolding } from './changes-store.ts';

/** How many buckets one transaction folds. */
const BATCH_SIZE = 128;

/**
 * Adds what has changed in buckets to their counters. Each transaction is complete by itself: one that is not committed
 * leaves the changes as they were. Readers add those that are left, so nothing depends on when this runs.
 * @param options.waits whether to wait for another process that is folding; without it there is nothing to do then
 */
export async function foldChanges(
  database: Database,
  { waits = false, signal }: { waits?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  // SQLite has no such changes, and asking each second would keep a thread for reading for ever.
  if (!isOnPostgres(database.db)) return;
  for (let after = ''; ; ) {
    signal?.throwIfAborted();
    const ids = await changedBuckets(database.db, after, BATCH_SIZE);
    const last = ids.at(-1);
    if (last === undefined) return;
    const passed = await database.transaction(async (tx) =>
      (await lockFolding(tx, { waits })) ? foldBuckets(tx, ids, { skipsLocked: true }) : null,
    );
    if (passed === null) return;
    // One bucket that is long locked must not keep the others from being folded.
    for (const id of passed) await database.transaction((tx) => foldBuckets(tx, [id]));
    after = last;
  }
}
