import { sql } from 'kysely';
import { inlineRead } from '../db/inline-read.ts';
import type { Executor } from '../db/port.ts';

/*
 * While a backup copies objects, none that its copied rows name may be deleted. Each backup has a row in
 * `deletion_pauses` with an end time, so the pause of a backup that dies ends by itself.
 */

/** Pauses all pending deletes until `until` (epoch milliseconds). */
export async function pauseDeletions(db: Executor, owner: string, until: number): Promise<void> {
  await db.insertInto('deletion_pauses').values({ owner, until }).execute();
}

/** Extends a pause. Returns false where it had ended by `now`, so that objects may have been deleted since. */
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

/** Ends a pause, and deletes the rows of those that have expired. */
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
    .$call(inlineRead)
    .executeTakeFirst();
  return row !== undefined;
}

/** A condition for statements that must change nothing during a pause. */
export const deletionsNotPaused = (now: number) =>
  sql<boolean>`not exists (select 1 from deletion_pauses where until > ${now})`;
