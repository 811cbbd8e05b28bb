import { sql } from 'kysely';
import { HOUR } from '../../contract/limits.ts';
import type { Executor } from '../db/port.ts';
import { deletionsNotPaused } from './deletion-pause-store.ts';
import type { Reservation } from './reservations-store.ts';
import type { PendingDeleteRow } from './tables.ts';

/*
 * Rows and objects cannot be written in one transaction. Therefore a delete of a prefix is scheduled
 * before anything is stored below it, and cancelled by the transaction that creates its row: whatever
 * a crash leaves behind is deleted later. Deleting works the same way: the transaction that drops the
 * row schedules the delete.
 */

/** The time of a delete that becomes due by `releaseDeletes` only. */
export const UNTIL_RELEASED = Number.MAX_SAFE_INTEGER;

/** How many rows one statement writes, as both engines bound the number of its parameters. */
const WRITE_BATCH_SIZE = 500;

/**
 * After this time everything below a prefix is deleted once more: a put that S3 has received can become
 * visible after its client has given up, and a listing can leave out what was put before.
 */
export const SECOND_DELETE_DELAY_MS = HOUR;

/**
 * Schedules the deletion of everything below `prefix` (which ends in '/'), or of the object `prefix`, after
 * `notBefore` (epoch milliseconds). A reservation counts for its account until the objects are deleted, or
 * the delete is cancelled, or scheduled again without one.
 */
export function scheduleDelete(
  db: Executor,
  prefix: string,
  notBefore: number,
  reservation: Reservation | null = null,
): Promise<void> {
  return schedule(db, [prefix], notBefore, reservation);
}

/** Schedules the deletion of everything below several prefixes, as `scheduleDelete` does. */
export async function scheduleDeletes(
  db: Executor,
  prefixes: Iterable<string>,
  notBefore: number,
): Promise<void> {
  await schedule(db, [...prefixes], notBefore, null);
}

async function schedule(
  db: Executor,
  prefixes: string[],
  notBefore: number,
  reservation: Reservation | null,
): Promise<void> {
  // One that has started before stays so, as objects may be gone.
  const columns = {
    not_before: notBefore,
    user_id: reservation?.userId ?? null,
    reserved_bytes: reservation?.bytes ?? null,
    deleted_at: null,
  };
  for (let at = 0; at < prefixes.length; at += WRITE_BATCH_SIZE) {
    const some = prefixes.slice(at, at + WRITE_BATCH_SIZE);
    await db
      .insertInto('pending_deletes')
      .values(some.map((prefix) => ({ prefix, ...columns })))
      .onConflict((conflict) => conflict.column('prefix').doUpdateSet(columns))
      .execute();
  }
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

/** Postpones a scheduled delete until `notBefore` (epoch milliseconds), unless it has started. */
export async function postponeDelete(
  db: Executor,
  prefix: string,
  notBefore: number,
): Promise<void> {
  await db
    .updateTable('pending_deletes')
    .set({ not_before: notBefore })
    .where('prefix', '=', prefix)
    .where('started_at', 'is', null)
    .execute();
}

/** Cancels a scheduled delete. Returns false when it has already started, so that objects may be gone. */
export async function cancelDelete(tx: Executor, prefix: string): Promise<boolean> {
  const cancelled = await tx
    .deleteFrom('pending_deletes')
    .where('prefix', '=', prefix)
    .where('started_at', 'is', null)
    .executeTakeFirstOrThrow();
  return cancelled.numDeletedRows === 1n;
}

/**
 * Makes the scheduled deletes of some prefixes due now, unless they have started. Called only where no other
 * process uses this database: what they would delete belongs to a process that has died.
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
      .where('started_at', 'is', null)
      .where('not_before', '>', now)
      .where('not_before', '<', UNTIL_RELEASED)
      .execute();
  }
}

/** A delete that is due, in the order of `findDueDeletes`. */
export type DueDelete = Pick<PendingDeleteRow, 'prefix' | 'not_before'>;

/** Returns at most `limit` deletes that are due, those that have been for longest first. */
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

/** A delete that has started, and how often it has failed since it last succeeded. */
export type StartedDelete = Pick<PendingDeleteRow, 'prefix' | 'failures'>;

/**
 * Starts deletes that are due, so that they can't be cancelled any more, and returns them: not those that
 * were cancelled or scheduled again, and none while deletions are paused.
 */
export async function startDeletes(
  db: Executor,
  prefixes: string[],
  now: number,
): Promise<StartedDelete[]> {
  return db
    .updateTable('pending_deletes')
    .set(({ fn, val }) => ({ started_at: fn.coalesce('started_at', val(now)) }))
    .where('prefix', 'in', prefixes)
    .where('not_before', '<=', now)
    .where(deletionsNotPaused(now))
    .returning(['prefix', 'failures'])
    .execute();
}

/** Puts deletes that have started off until a time in epoch milliseconds. */
export async function postponeDeletes(
  db: Executor,
  prefixes: string[],
  until: number,
): Promise<void> {
  if (prefixes.length === 0) return;
  await db
    .updateTable('pending_deletes')
    .set({ not_before: until })
    .where('prefix', 'in', prefixes)
    .where('started_at', 'is not', null)
    .execute();
}

/** Puts a delete that has failed off until a time in epoch milliseconds, and keeps the reason. */
export async function failDelete(
  db: Executor,
  prefix: string,
  { until, error }: { until: number; error: string },
): Promise<void> {
  await db
    .updateTable('pending_deletes')
    .set((row) => ({ not_before: until, failures: row('failures', '+', 1), error }))
    .where('prefix', '=', prefix)
    .where('started_at', 'is not', null)
    .execute();
}

/**
 * Notes that the objects of these deletes are gone: the first time they are scheduled once more, and end
 * their reservations; the second time their rows are deleted.
 */
export async function finishDeletes(db: Executor, prefixes: string[], now: number): Promise<void> {
  if (prefixes.length === 0) return;
  await db
    .deleteFrom('pending_deletes')
    .where('prefix', 'in', prefixes)
    .where('deleted_at', 'is not', null)
    .execute();
  await db
    .updateTable('pending_deletes')
    .set({
      ...{ deleted_at: now, not_before: now + SECOND_DELETE_DELAY_MS },
      ...{ user_id: null, reserved_bytes: null, failures: 0, error: null },
    })
    .where('prefix', 'in', prefixes)
    .where('started_at', 'is not', null)
    .execute();
}

/** Returns at most `limit` deletes that have failed and are put off. */
export async function failingDeletes(db: Executor, limit: number): Promise<PendingDeleteRow[]> {
  // With a literal, SQLite finds them by their partial index.
  return db
    .selectFrom('pending_deletes')
    .selectAll()
    .where('failures', '>', sql.lit(0))
    .orderBy('prefix')
    .limit(limit)
    .execute();
}

/** Counts the deletes that have failed and are put off, up to `limit`. */
export async function countFailingDeletes(db: Executor, limit: number): Promise<number> {
  const failing = db
    .selectFrom('pending_deletes')
    .select('prefix')
    .where('failures', '>', sql.lit(0))
    .limit(limit);
  const { count } = await db
    .selectFrom(failing.as('failing'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
