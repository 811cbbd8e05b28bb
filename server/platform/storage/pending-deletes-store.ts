import { sql } from 'kysely';
import type { Executor } from '../db/port.ts';
import type { PendingDeleteRow } from './tables.ts';

/*
 * Rows and objects cannot be written in one transaction. Therefore a delete of a prefix is scheduled
 * before anything is stored below it, and cancelled by the transaction that creates its row: whatever
 * a crash leaves behind is deleted later. Deleting works the same way: the transaction that drops the
 * row schedules the delete.
 */

/** The time of a delete that becomes due by `releaseDeletes` only. */
export const UNTIL_RELEASED = Number.MAX_SAFE_INTEGER;

/** The bytes that an account's unfinished upload may store. */
export type Reservation = { userId: string; bytes: number };

/**
 * Schedules the deletion of everything below `prefix` (which ends in '/') after `notBefore` (epoch
 * milliseconds). A reservation counts for its account until the delete is carried out, cancelled, or
 * scheduled again without one.
 */
export async function scheduleDelete(
  db: Executor,
  prefix: string,
  notBefore: number,
  reservation: Reservation | null = null,
): Promise<void> {
  const columns = {
    not_before: notBefore,
    user_id: reservation?.userId ?? null,
    reserved_bytes: reservation?.bytes ?? null,
  };
  await db
    .insertInto('pending_deletes')
    .values({ prefix, ...columns })
    .onConflict((conflict) => conflict.column('prefix').doUpdateSet(columns))
    .execute();
}

/** Schedules the deletion of everything below several prefixes, as `scheduleDelete` does. */
export async function scheduleDeletes(
  tx: Executor,
  prefixes: Set<string>,
  notBefore: number,
): Promise<void> {
  if (prefixes.size === 0) return;
  const columns = { not_before: notBefore, user_id: null, reserved_bytes: null };
  await tx
    .insertInto('pending_deletes')
    .values([...prefixes].map((prefix) => ({ prefix, ...columns })))
    .onConflict((conflict) => conflict.column('prefix').doUpdateSet(columns))
    .execute();
}

/** Makes those of the deletes due that are scheduled until they are released. */
export async function releaseDeletes(tx: Executor, prefixes: string[], now: number): Promise<void> {
  await tx
    .updateTable('pending_deletes')
    .set({ not_before: now })
    .where('prefix', 'in', prefixes)
    .where('not_before', '=', UNTIL_RELEASED)
    .execute();
}

/** Counts an account's reservations and their bytes, except the one of `exceptPrefix`. */
export async function reservationsOf(
  db: Executor,
  userId: string,
  exceptPrefix = '',
): Promise<{ count: number; bytes: number }> {
  return db
    .selectFrom('pending_deletes')
    .select(({ fn, lit }) => [
      fn.countAll<number>().as('count'),
      fn.coalesce(fn.sum<number>('reserved_bytes'), lit(0)).as('bytes'),
    ])
    .where('user_id', '=', userId)
    .where('prefix', '!=', exceptPrefix)
    .executeTakeFirstOrThrow();
}

/** Returns the reservation of a prefix; undefined where it has none, or its delete has started. */
export async function findReservation(
  db: Executor,
  prefix: string,
): Promise<Reservation | undefined> {
  const row = await db
    .selectFrom('pending_deletes')
    .select(['user_id', 'reserved_bytes'])
    .where('prefix', '=', prefix)
    .where('not_before', '>', 0)
    .executeTakeFirst();
  if (!row?.user_id) return undefined;
  return { userId: row.user_id, bytes: row.reserved_bytes ?? 0 };
}

/** Sets the bytes of a reservation that has fewer. */
export async function extendReservation(
  tx: Executor,
  prefix: string,
  bytes: number,
): Promise<void> {
  await tx
    .updateTable('pending_deletes')
    .set({ reserved_bytes: bytes })
    .where('prefix', '=', prefix)
    .where('reserved_bytes', '<', bytes)
    .execute();
}

/** Cancels a scheduled delete. Returns false when it has already started, so that objects may be gone. */
export async function cancelDelete(tx: Executor, prefix: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('pending_deletes')
    .where('prefix', '=', prefix)
    .where('not_before', '>', 0)
    .executeTakeFirstOrThrow();
  return deleted.numDeletedRows === 1n;
}

/**
 * Makes the scheduled deletes of some prefixes due now. Called only where no other process uses this
 * database: what they would delete belongs to a process that has died.
 */
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
      .where('not_before', '<', UNTIL_RELEASED)
      .execute();
  }
}

/** A delete that is due, in the order of `findDueDeletes`. */
export type DueDelete = Pick<PendingDeleteRow, 'prefix' | 'not_before'>;

/** Returns at most `limit` deletes that are due: those that have started first, then the earliest. */
export async function findDueDeletes(
  db: Executor,
  { now, after, limit }: { now: number; after: DueDelete | undefined; limit: number },
): Promise<DueDelete[]> {
  let query = db
    .selectFrom('pending_deletes')
    .select(['prefix', 'not_before'])
    .where('not_before', '<=', now);
  if (after) {
    const { not_before, prefix } = after;
    query = query.where(sql<boolean>`(not_before, prefix) > (${not_before}, ${prefix})`);
  }
  return query.orderBy('not_before').orderBy('prefix').limit(limit).execute();
}

/**
 * A delete that has started can't be cancelled. Its start time is stored as a negative number, which later
 * runs keep.
 */
const startTime = (now: number) =>
  sql<number>`case when not_before > 0 then ${-now} else not_before end`;

/**
 * Starts deletes that are due, and returns their prefixes: not of those that were cancelled or postponed,
 * and none while deletions are paused.
 */
export async function startDeletes(
  db: Executor,
  prefixes: string[],
  now: number,
): Promise<string[]> {
  const rows = await db
    .updateTable('pending_deletes')
    .set({ not_before: startTime(now) })
    .where('prefix', 'in', prefixes)
    .where('not_before', '<=', now)
    .where(deletionsNotPaused(now))
    .returning('prefix')
    .execute();
  return rows.map(({ prefix }) => prefix);
}

/** Notes that a delete which has started is still getting further, as `fsck` reports those that don't. */
export async function renewDelete(db: Executor, prefix: string, now: number): Promise<void> {
  await db
    .updateTable('pending_deletes')
    .set({ not_before: -now })
    .where('prefix', '=', prefix)
    .where('not_before', '<=', 0)
    .execute();
}

/** Deletes the rows of pending deletes after their objects are gone. */
export async function finishDeletes(db: Executor, prefixes: string[]): Promise<void> {
  if (prefixes.length === 0) return;
  await db
    .deleteFrom('pending_deletes')
    .where('prefix', 'in', prefixes)
    .where('not_before', '<=', 0)
    .execute();
}

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
    .executeTakeFirst();
  return row !== undefined;
}

/** A condition for statements that must change nothing during a pause. */
const deletionsNotPaused = (now: number) =>
  sql<boolean>`not exists (select 1 from deletion_pauses where until > ${now})`;
