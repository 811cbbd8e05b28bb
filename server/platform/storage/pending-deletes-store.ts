import { sql } from 'kysely';
import type { Executor } from '../db/port.ts';

/*
 * Rows and objects cannot be written in one transaction. Therefore a delete of a prefix is scheduled
 * before anything is stored below it, and cancelled by the transaction that creates its row: whatever
 * a crash leaves behind is deleted later. Deleting works the same way: the transaction that drops the
 * row schedules the delete.
 */

/** Schedules the deletion of what is below `prefix` (ends in '/') once `notBefore` (epoch ms) has passed. */
export async function scheduleDelete(
  db: Executor,
  prefix: string,
  notBefore: number,
): Promise<void> {
  await db
    .insertInto('pending_deletes')
    .values({ prefix, not_before: notBefore })
    .onConflict((conflict) => conflict.column('prefix').doUpdateSet({ not_before: notBefore }))
    .execute();
}

/** Cancels a scheduled delete. Returns false when it has already started: the objects are gone or going. */
export async function cancelDelete(tx: Executor, prefix: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('pending_deletes')
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
      .updateTable('pending_deletes')
      .set({ not_before: now })
      .where('prefix', 'like', `${prefix}%`)
      .where('not_before', '>', now)
      .execute();
  }
}

/** Returns at most `limit` prefixes whose deletion is due. */
export async function dueDeletes(db: Executor, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('pending_deletes')
    .select('prefix')
    .where('not_before', '<=', now)
    .limit(limit)
    .execute();
  return rows.map((row) => row.prefix);
}

/** A delete that has started cannot be cancelled; its start is kept as a negative time, also by later runs. */
const claimed = (now: number) =>
  sql<number>`case when not_before > 0 then ${-now} else not_before end`;

/** Starts a delete that is due; returns false where it was cancelled, postponed or deletions are paused. */
export async function startDelete(db: Executor, prefix: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('pending_deletes')
    .set({ not_before: claimed(now) })
    .where('prefix', '=', prefix)
    .where('not_before', '<=', now)
    .where(deletionsNotPaused(now))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Drops the row of a delete whose objects are gone. */
export async function finishDelete(db: Executor, prefix: string): Promise<void> {
  await db
    .deleteFrom('pending_deletes')
    .where('prefix', '=', prefix)
    .where('not_before', '<=', 0)
    .execute();
}

/*
 * While somebody copies the objects, none may go that the copied rows name. Each who copies has a
 * row here that says until when; no sweep claims anything before then, and who dies lets go by time.
 */

/** Keeps every sweep from removing anything before `until` (epoch ms). */
export async function pauseDeletions(db: Executor, owner: string, until: number): Promise<void> {
  await db.insertInto('deletion_pauses').values({ owner, until }).execute();
}

/** False where the hold had ended by `now`: something may have been removed since. */
export async function extendPause(
  db: Executor,
  owner: string,
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('deletion_pauses')
    .set({ until })
    .where('owner', '=', owner)
    .where('until', '>', now)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Ends a hold, and removes those that ended by themselves. */
export async function resumeDeletions(db: Executor, owner: string, now: number): Promise<void> {
  await db
    .deleteFrom('deletion_pauses')
    .where((row) => row.or([row('owner', '=', owner), row('until', '<=', now)]))
    .execute();
}

export async function areDeletionsPaused(db: Executor, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('deletion_pauses')
    .select('owner')
    .where('until', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

/** For a statement that must change nothing during a hold. */
const deletionsNotPaused = (now: number) =>
  sql<boolean>`not exists (select 1 from deletion_pauses where until > ${now})`;
