import type { Tx } from '../../../platform/db/port.ts';
import type { EmailChangeRow } from '../tables.ts';

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
