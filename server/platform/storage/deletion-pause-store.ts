import { sql } from 'kysely';
import type { Executor } from '../db/port.ts';

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
export const deletionsNotPaused = (now: number) =>
  sql<boolean>`not exists (select 1 from deletion_pauses where until > ${now})`;
