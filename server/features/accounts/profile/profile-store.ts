import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { EmailChangeRow, UserRow } from '../../../platform/db/tables.ts';

export async function userById(db: Executor, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Whether an address is an account's, or was one's, other than `ownId`, who may still want it back. */
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

export async function setPassword(tx: Tx, userId: string, passwordHash: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ password_hash: passwordHash })
    .where('id', '=', userId)
    .execute();
}

export async function setEmail(
  tx: Tx,
  userId: string,
  address: { email: string; emailKey: string },
): Promise<void> {
  await tx
    .updateTable('users')
    .set({ email: address.email, email_key: address.emailKey })
    .where('id', '=', userId)
    .execute();
}

export async function insertEmailChange(tx: Tx, change: EmailChangeRow): Promise<void> {
  await tx.insertInto('email_changes').values(change).execute();
}

/** Spends the undo of a change; undefined where it is spent, expired or nobody's. */
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

/** Ends the undos of what came after a change that has been undone. */
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

/** The row as it is now; nobody else can change it until the transaction ends. */
export async function holdUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  return tx
    .updateTable('users')
    .set((user) => ({ status: user.ref('status') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Of a user whose row is held. */
export async function setStatus(tx: Tx, userId: string, status: UserRow['status']): Promise<void> {
  await tx.updateTable('users').set({ status }).where('id', '=', userId).execute();
}

/** The row and, by cascade, its sessions, browsers and buckets; its challenges too, which name addresses. */
export async function deleteUser(tx: Tx, userId: string): Promise<void> {
  const user = await userById(tx, userId);
  if (!user) return;
  await tx
    .deleteFrom('challenges')
    .where((row) => row.or([row('email_key', '=', user.email_key), row('user_id', '=', userId)]))
    .execute();
  await tx.deleteFrom('users').where('id', '=', userId).execute();
}
