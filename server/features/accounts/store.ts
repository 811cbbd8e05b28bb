import type { Executor, Tx } from '../../platform/db/port.ts';
import type {
  ChallengePurpose,
  ChallengeRow,
  SessionRow,
  UserRow,
} from '../../platform/db/tables.ts';

export async function insertUser(tx: Tx, user: UserRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .executeTakeFirstOrThrow();
  return (inserted.numInsertedOrUpdatedRows ?? 0n) === 1n;
}

export async function userByEmail(db: Executor, emailKey: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email_key', '=', emailKey).executeTakeFirst();
}

/** Whose challenge: of one purpose, for one address, in one browser. */
export type ChallengeOwner = { purpose: ChallengePurpose; emailKey: string; browser: string };

const open = (db: Executor, owner: ChallengeOwner, now: number) =>
  db
    .updateTable('challenges')
    .where('purpose', '=', owner.purpose)
    .where('email_key', '=', owner.emailKey)
    .where('browser', '=', owner.browser)
    .where('closed_at', 'is', null)
    .where('expires_at', '>', now);

export async function insertChallenge(tx: Tx, challenge: ChallengeRow): Promise<ChallengeRow> {
  return tx.insertInto('challenges').values(challenge).returningAll().executeTakeFirstOrThrow();
}

export async function closeOpenChallenges(
  tx: Tx,
  owner: ChallengeOwner,
  now: number,
): Promise<void> {
  await open(tx, owner, now).set({ closed_at: now }).execute();
}

export async function openChallenge(
  db: Executor,
  owner: ChallengeOwner,
  now: number,
): Promise<ChallengeRow | undefined> {
  return db
    .selectFrom('challenges')
    .selectAll()
    .where('purpose', '=', owner.purpose)
    .where('email_key', '=', owner.emailKey)
    .where('browser', '=', owner.browser)
    .where('closed_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Puts a new code in the place of the old one. */
export async function replaceCode(
  tx: Tx,
  id: string,
  code: { mac: string; expiresAt: number },
): Promise<ChallengeRow> {
  return tx
    .updateTable('challenges')
    .set({ code_mac: code.mac, code_expires_at: code.expiresAt, tries: 0 })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function setChallengeMail(tx: Tx, challengeId: string, mailId: string): Promise<void> {
  await tx
    .updateTable('challenges')
    .set({ mail_id: mailId })
    .where('id', '=', challengeId)
    .execute();
}

/** Counts a try before it is looked at, so that parallel guesses can't share one. */
export async function countTry(
  tx: Tx,
  owner: ChallengeOwner,
  most: number,
  now: number,
): Promise<ChallengeRow | undefined> {
  return open(tx, owner, now)
    .where('tries', '<', most)
    .where('code_expires_at', '>', now)
    .set((row) => ({ tries: row('tries', '+', 1) }))
    .returningAll()
    .executeTakeFirst();
}

export async function closeChallenge(tx: Tx, id: string, now: number): Promise<void> {
  await tx.updateTable('challenges').set({ closed_at: now }).where('id', '=', id).execute();
}

export async function forgetChallenges(db: Executor, before: number): Promise<void> {
  await db.deleteFrom('challenges').where('expires_at', '<', before).execute();
}

export type NewSession = {
  id: string;
  userId: string;
  device: string;
  address: string;
  now: number;
  expiresAt: number;
  recoveredAt: number | null;
};

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
      last_seen_at: session.now,
      recovered_at: session.recoveredAt,
    })
    .execute();
}

export async function liveSession(db: Executor, id: string, now: number) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id',
      'sessions.last_seen_at as lastSeenAt',
      'sessions.recovered_at as recoveredAt',
      'users.id as userId',
      'users.email',
      'users.email_key as emailKey',
    ])
    .where('sessions.id', '=', id)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', now)
    .where('users.status', '=', 'active')
    .executeTakeFirst();
}

export async function seeSession(db: Executor, id: string, now: number): Promise<void> {
  await db.updateTable('sessions').set({ last_seen_at: now }).where('id', '=', id).execute();
}

const live = (db: Executor, userId: string, now: number) =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now);

export async function listSessions(
  db: Executor,
  userId: string,
  now: number,
): Promise<SessionRow[]> {
  return live(db, userId, now).orderBy('last_seen_at', 'desc').limit(100).execute();
}

/** Ends one session of a user; false where it is not theirs or has ended. */
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

/** Ends all sessions of a user, but for the one that is kept. */
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
}

/** The grace of a recovery is good for one new password: false where it is spent, or the session over. */
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

export async function forgetSessions(db: Executor, before: number): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<', before).execute();
}
