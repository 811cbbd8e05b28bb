import { sql } from 'kysely';
import { HOUR } from '../../contract/limits.ts';
import { inlineRead } from '../db/inline-read.ts';
import type { Executor } from '../db/port.ts';
import { deletionsNotPaused } from './deletion-pause-store.ts';
import type { PendingDeleteRow } from './tables.ts';

/* What happens to a pending delete once it is due; see pending-deletes-store.ts. */

/**
 * After this time everything below a prefix is deleted once more: a put that S3 has received can become
 * visible after its client has given up, and a listing can leave out what was put before.
 */
export const SECOND_DELETE_DELAY_MS = HOUR;

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
  return query.orderBy('not_before').orderBy('prefix').limit(limit).$call(inlineRead).execute();
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
    .$call(inlineRead)
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
