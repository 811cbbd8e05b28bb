import { SESSION_IDLE_TTL_MS } from '../../../contract/limits.ts';
import { deleteRows, olderThan } from '../../../platform/db/delete-rows.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import { prepareStatement } from '../../../platform/db/prepare-statement.ts';
import type { LoginMethod, SessionRow } from '../tables.ts';
import { deleteTrustedBrowsersOf } from '../trusted-browsers/trusted-browsers-store.ts';

/** A session to insert; its times are in epoch milliseconds. */
export type NewSession = {
  id: string;
  userId: string;
  device: string;
  address: string;
  country: string | null;
  now: number;
  expiresAt: number;
  recoveredAt: number | null;
  method: LoginMethod;
};

/** Inserts a session that is seen now. */
export async function insertSession(tx: Executor, session: NewSession): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      id: session.id,
      user_id: session.userId,
      created_at: session.now,
      expires_at: session.expiresAt,
      revoked_at: null,
      device: session.device,
      address: session.address,
      country: session.country,
      last_seen_at: session.now,
      recovered_at: session.recoveredAt,
      password_confirmed_at: session.now,
      method: session.method,
    })
    .execute();
}

/** Returns a session and its user where the session is open and the user active. */
export async function findLiveSession(db: Executor, id: string, now: number) {
  return (await readLive(db, { id, now, idleSince: now - SESSION_IDLE_TTL_MS })).rows[0];
}

type LiveValues = { id: string; now: number; idleSince: number };

/** Every request of a user asks this. */
const readLive = prepareStatement((db, { id, now, idleSince }: LiveValues) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id',
      'sessions.last_seen_at as lastSeenAt',
      'sessions.recovered_at as recoveredAt',
      'sessions.password_confirmed_at as passwordConfirmedAt',
      'users.id as userId',
      'users.email',
      'users.email_key as emailKey',
    ])
    .where('sessions.id', '=', id)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', now)
    .where('sessions.last_seen_at', '>', idleSince)
    .where('users.status', '=', 'active')
    .$call(inlineRead),
);

/** Stores when a session was last used. */
export async function updateLastSeen(db: Executor, id: string, now: number): Promise<void> {
  await db.updateTable('sessions').set({ last_seen_at: now }).where('id', '=', id).execute();
}

/** Stores that the password of a session has been entered. */
export async function setPasswordConfirmed(db: Executor, id: string, now: number): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ password_confirmed_at: now })
    .where('id', '=', id)
    .execute();
}

const selectLive = (db: Executor, userId: string, now: number) =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('last_seen_at', '>', now - SESSION_IDLE_TTL_MS);

/** Lists up to 100 open sessions of a user, the one seen last first. */
export async function listSessions(
  db: Executor,
  userId: string,
  now: number,
): Promise<SessionRow[]> {
  return selectLive(db, userId, now).orderBy('last_seen_at', 'desc').limit(100).execute();
}

/** Lists the newest sessions of a user, open or ended, the one started last first. */
export async function newestSessions(
  db: Executor,
  userId: string,
  limit: number,
): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Ends one session of a user. Returns false where it is not theirs or has ended. */
export async function revokeSession(
  db: Executor,
  userId: string,
  id: string,
  now: number,
): Promise<boolean> {
  const result = await db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

/** Ends all sessions of a user except `keptId`, and the trust in all browsers, so that each login needs a code again. */
export async function revokeSessions(
  db: Executor,
  userId: string,
  keptId: string | null,
  now: number,
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('id', '!=', keptId ?? '')
    .where('revoked_at', 'is', null)
    .execute();
  await deleteTrustedBrowsersOf(db, userId);
}

/**
 * Ends the grace of a recovery, which allows one new password without a code. Returns false where
 * it has been used, or the session has ended.
 */
export async function endRecovery(tx: Tx, id: string): Promise<boolean> {
  const result = await tx
    .updateTable('sessions')
    .set({ recovered_at: null })
    .where('id', '=', id)
    .where('recovered_at', 'is not', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

/** Deletes the sessions that expired before a time in epoch milliseconds. */
export const deleteExpiredSessions = (db: Executor, before: number, signal?: AbortSignal) =>
  deleteRows(db, 'sessions', olderThan('expires_at', before), signal);
