import { deleteRows, olderThan } from '../../../platform/db/delete-rows.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { TrustedBrowserRow } from '../tables.ts';

/** Inserts a trusted browser. */
export async function insertTrustedBrowser(tx: Tx, row: TrustedBrowserRow): Promise<void> {
  await tx.insertInto('trusted_browsers').values(row).execute();
}

/**
 * Notes that a user logs in in a browser that is trusted since `since` or later, both in epoch milliseconds, and returns
 * its id; undefined where it is not trusted.
 */
export async function recordTrustedLogin(
  tx: Tx,
  {
    userId,
    tokenHash,
    since,
    now,
  }: { userId: string; tokenHash: string; since: number; now: number },
): Promise<string | undefined> {
  const row = await tx
    .updateTable('trusted_browsers')
    .set({ last_used_at: now })
    .where('user_id', '=', userId)
    .where('token_hash', '=', tokenHash)
    .where('created_at', '>', since)
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** Lists the browsers that a user trusts since `since` (epoch milliseconds) or later, newest first. */
export async function listTrustedBrowsers(
  db: Executor,
  userId: string,
  since: number,
): Promise<TrustedBrowserRow[]> {
  return db
    .selectFrom('trusted_browsers')
    .selectAll()
    .where('user_id', '=', userId)
    .where('created_at', '>', since)
    .orderBy('id', 'desc')
    .execute();
}

/** Deletes a trusted browser of a user. Returns false where there is none. */
export async function deleteTrustedBrowser(tx: Tx, userId: string, id: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('trusted_browsers')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return result.numDeletedRows === 1n;
}

/**
 * Deletes what a new trusted browser of a user replaces: the one with its old cookie, and all but the newest `kept`. The
 * caller has locked the user.
 */
export async function deleteReplacedBrowsers(
  tx: Tx,
  userId: string,
  { tokenHash, kept }: { tokenHash: string | null; kept: number },
): Promise<void> {
  const rows = await tx
    .selectFrom('trusted_browsers')
    .select(['id', 'token_hash'])
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .execute();
  const others = rows.filter((row) => row.token_hash !== tokenHash);
  const stays = new Set(others.slice(0, kept).map(({ id }) => id));
  const replaced = rows.map(({ id }) => id).filter((id) => !stays.has(id));
  if (replaced.length === 0) return;
  await tx.deleteFrom('trusted_browsers').where('id', 'in', replaced).execute();
}

/** Ends the trust of a user in all browsers. */
export async function deleteTrustedBrowsersOf(db: Executor, userId: string): Promise<void> {
  await db.deleteFrom('trusted_browsers').where('user_id', '=', userId).execute();
}

/** Deletes the browsers that are trusted since before a time in epoch milliseconds. */
export const deleteOldTrustedBrowsers = (db: Executor, before: number, signal?: AbortSignal) =>
  deleteRows(db, 'trusted_browsers', olderThan('created_at', before), signal);
