import { deleteRows, olderThan } from '../../platform/db/delete-rows.ts';
import { inlineRead } from '../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import { prepareStatement } from '../../platform/db/prepare-statement.ts';
import type { EmailChangeRow, UserRow } from './tables.ts';

/** Inserts a user. Returns false where another account has the address. */
export async function insertUser(tx: Tx, user: UserRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .executeTakeFirstOrThrow();
  if (inserted.numInsertedOrUpdatedRows !== 1n) return false;
  await tx
    .insertInto('account_stats')
    .values({ user_id: user.id, stored: 0, month: 0, bandwidth: 0 })
    .execute();
  return true;
}

/** Returns the user who has an address; undefined where nobody has. */
export async function userByEmail(db: Executor, emailKey: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('email_key', '=', emailKey)
    .$call(inlineRead)
    .executeTakeFirst();
}

/** Returns a user by id; undefined where none has it. */
export async function userById(db: Executor, id: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', id)
    .$call(inlineRead)
    .executeTakeFirst();
}

/** Stores the hash of a new password. */
export async function setPassword(tx: Tx, userId: string, passwordHash: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ password_hash: passwordHash })
    .where('id', '=', userId)
    .execute();
}

/** Stores a new address. */
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

const lockUsers = (tx: Executor) =>
  tx
    .updateTable('users')
    .set((user) => ({ status: user.ref('status') }))
    .returningAll();

/** Locks a user's row until the transaction ends, and returns it as it is now. */
export async function lockUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  return (await lockById(tx, { id })).rows[0];
}

const lockById = prepareStatement((tx: Executor, { id }: { id: string }) =>
  lockUsers(tx).where('id', '=', id),
);

/** Locks the row of the user who has an address; undefined where nobody has. */
export async function lockUserByEmail(tx: Tx, emailKey: string): Promise<UserRow | undefined> {
  return lockUsers(tx).where('email_key', '=', emailKey).executeTakeFirst();
}

/** Sets the status of a user whose row is locked, and with it whether and since when they are banned. */
export async function setStatus(
  tx: Tx,
  userId: string,
  state: Pick<UserRow, 'status' | 'banned_at'>,
): Promise<void> {
  await tx.updateTable('users').set(state).where('id', '=', userId).execute();
}

/** Returns the storage limit of a user in bytes; null where the user has the one of all others. */
export async function ownStorageLimit(db: Executor, userId: string): Promise<number | null> {
  const user = await db
    .selectFrom('users')
    .select('max_bytes')
    .where('id', '=', userId)
    .$call(inlineRead)
    .executeTakeFirst();
  return user?.max_bytes ?? null;
}

/** Stores the storage limit of a user whose row is locked. */
export async function setStorageLimit(
  tx: Tx,
  userId: string,
  maxBytes: number | null,
): Promise<void> {
  await tx.updateTable('users').set({ max_bytes: maxBytes }).where('id', '=', userId).execute();
}

/**
 * Deletes a user and, by cascade, the sessions, browsers and buckets; also the challenges, which
 * name the address.
 */
export async function deleteUser(tx: Tx, userId: string): Promise<void> {
  const user = await userById(tx, userId);
  if (!user) return;
  await tx
    .deleteFrom('challenges')
    .where((row) => row.or([row('email_key', '=', user.email_key), row('user_id', '=', userId)]))
    .execute();
  await tx.deleteFrom('users').where('id', '=', userId).execute();
}

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
    .$call(inlineRead)
    .executeTakeFirst();
  if (user) return true;
  const undoableChange = await db
    .selectFrom('email_changes')
    .select('id')
    .where('old_key', '=', emailKey)
    .where('user_id', '!=', ownId)
    .where('closed_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return undoableChange !== undefined;
}

/** Inserts a change of address that can be undone. */
export async function insertEmailChange(tx: Tx, change: EmailChangeRow): Promise<void> {
  await tx.insertInto('email_changes').values(change).execute();
}

/**
 * Closes the change that an undo link names. Returns undefined where it is closed, expired or
 * unknown.
 */
export async function closeEmailChange(
  tx: Tx,
  undoMacs: string[],
  now: number,
): Promise<EmailChangeRow | undefined> {
  return tx
    .updateTable('email_changes')
    .set({ closed_at: now })
    .where('undo_mac', 'in', undoMacs)
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

/** Deletes the changes of address whose undo link expired before a time in epoch milliseconds. */
export const deleteExpiredEmailChanges = (db: Executor, before: number, signal?: AbortSignal) =>
  deleteRows(db, 'email_changes', olderThan('expires_at', before), signal);
