import { sql } from 'kysely';
import type { Executor } from '../db/port.ts';
import { areDeletionsPaused, deletionsNotPaused } from './deletion-pause.ts';
import type { ObjectStore } from './port.ts';

/*
 * Rows and objects can't be written in one transaction. So a prefix is doomed before anything
 * is put below it, and spared by the transaction that makes a row of it. Whatever dies in
 * between, the sweep finds. Removing works the same way: the transaction that drops the row dooms.
 */

/** Marks what is below `prefix` (ends in '/') for removal once `notBefore` (epoch ms) has passed. */
export async function scheduleDelete(
  db: Executor,
  prefix: string,
  notBefore: number,
): Promise<void> {
  await db
    .insertInto('doomed')
    .values({ prefix, not_before: notBefore })
    .onConflict((conflict) => conflict.column('prefix').doUpdateSet({ not_before: notBefore }))
    .execute();
}

/** Takes the mark back. False where the sweep has been faster: the objects are gone or going. */
export async function cancelDelete(tx: Executor, prefix: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('doomed')
    .where('prefix', '=', prefix)
    .where('not_before', '>', 0)
    .executeTakeFirstOrThrow();
  return deleted.numDeletedRows === 1n;
}

/** Only where no other process works on this database: what a dead predecessor left is due now. */
export async function expediteDeletes(
  db: Executor,
  prefixes: string[],
  now: number,
): Promise<void> {
  for (const prefix of prefixes) {
    await db
      .updateTable('doomed')
      .set({ not_before: now })
      .where('prefix', 'like', `${prefix}%`)
      .where('not_before', '>', now)
      .execute();
  }
}

const BATCH = 100;
/** A mark that can no longer be taken back: since when, as a negative time. A later sweep leaves it so. */
const claimed = (now: number) =>
  sql<number>`case when not_before > 0 then ${-now} else not_before end`;

/**
 * Removes what is due, and then its marks; nothing while somebody copies the objects, see hold.ts.
 * Returns how many prefixes went.
 */
export async function runPendingDeletes(
  db: Executor,
  objects: ObjectStore,
  now: number,
): Promise<number> {
  let swept = 0;
  for (;;) {
    if (await areDeletionsPaused(db, now)) return swept;
    const due = await db
      .selectFrom('doomed')
      .select('prefix')
      .where('not_before', '<=', now)
      .limit(BATCH)
      .execute();
    for (const { prefix } of due) {
      const claim = await db
        .updateTable('doomed')
        .set({ not_before: claimed(now) })
        .where('prefix', '=', prefix)
        .where('not_before', '<=', now)
        .where(deletionsNotPaused(now))
        .executeTakeFirstOrThrow();
      if (claim.numUpdatedRows === 0n) continue;
      await objects.deletePrefix(prefix);
      await db
        .deleteFrom('doomed')
        .where('prefix', '=', prefix)
        .where('not_before', '<=', 0)
        .execute();
      swept += 1;
    }
    if (due.length < BATCH) return swept;
  }
}
