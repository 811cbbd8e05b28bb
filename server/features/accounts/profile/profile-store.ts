import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { EmailChangeRow } from '../../../platform/db/tables.ts';

/**
 * Whether an account has the address, or another account than `ownId` can still undo a change away
 * from it.
 */
export async function isAddressTaken(
  db: Executor,
  emailKey: string,
  now: number,
  ownId = '',
): Promise<boolean> {
  const user = await db
    .selectFrom('users')
    .select('id')
    .where('email_key', '=', emailKey)
    .executeTakeFirst();
  if (user) return true;
  const kept = await db
    .selectFrom('email_changes')
    .select('id')
    .where('old_key', '=', emailKey)
    .where('user_id', '!=', ownId)
    .where('closed_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return kept !== undefined;
}

/** Inserts a change of address that can be undone. */
export async function insertEmailChange(tx: Tx, change: EmailChangeRow): Promise<void> {
  await tx.insertInto('email_changes').values(change).execute();
}

/** Closes the change that an undo link names. Returns undefined where it is closed, expired or unknown. */
export async function closeEmailChange(
  tx: Tx,
  undoMac: string,
  now: number,
): Promise<EmailChangeRow | undefined> {
  return tx
    .updateTable('email_changes')
    .set({ closed_at: now })
    .where('undo_mac', '=', undoMac)
    .where('closed_at', 'is', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

/** Closes a user's changes that came after one that has been undone, so that none can be undone. */
export async function closeLaterChanges(
  tx: Tx,
  change: EmailChangeRow,
  now: number,
): Promise<void> {
  await tx
    .updateTable('email_changes')
    .set({ closed_at: now })
    .where('user_id', '=', change.user_id)
    .where('created_at', '>=', change.created_at)
    .where('closed_at', 'is', null)
    .execute();
}

/** Stores that a user has logged in in a browser. */
export async function rememberBrowser(
  tx: Executor,
  userId: string,
  browser: string,
  now: number,
): Promise<void> {
  await tx
    .insertInto('known_browsers')
    .values({ user_id: userId, browser, seen_at: now })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'browser']).doUpdateSet({ seen_at: now }),
    )
    .execute();
}

/** Whether the owner of an address has been logged in in a browser. */
export async function isKnownBrowser(
  db: Executor,
  emailKey: string,
  browser: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('known_browsers')
    .innerJoin('users', 'users.id', 'known_browsers.user_id')
    .select('users.id')
    .where('users.email_key', '=', emailKey)
    .where('known_browsers.browser', '=', browser)
    .executeTakeFirst();
  return row !== undefined;
}
