import type { Executor, Tx } from '../../platform/db/port.ts';
import type { ChallengePurpose, ChallengeRow, UserRow } from '../../platform/db/tables.ts';

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

export async function insertChallenge(
  tx: Tx,
  challenge: Omit<ChallengeRow, 'tries' | 'closed_at'>,
): Promise<void> {
  await tx
    .insertInto('challenges')
    .values({ ...challenge, tries: 0, closed_at: null })
    .execute();
}

export async function closeOpenChallenges(
  tx: Tx,
  owner: ChallengeOwner,
  now: number,
): Promise<void> {
  await open(tx, owner, now).set({ closed_at: now }).execute();
}

/** Puts a new code in the place of the open challenge's old one. */
export async function replaceCode(
  tx: Tx,
  owner: ChallengeOwner,
  code: { mac: string; expiresAt: number },
  now: number,
): Promise<ChallengeRow | undefined> {
  return open(tx, owner, now)
    .set({ code_mac: code.mac, code_expires_at: code.expiresAt, tries: 0 })
    .returningAll()
    .executeTakeFirst();
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

export async function insertSession(
  tx: Executor,
  session: { id: string; userId: string; now: number; expiresAt: number },
): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      id: session.id,
      user_id: session.userId,
      created_at: session.now,
      expires_at: session.expiresAt,
      revoked_at: null,
    })
    .execute();
}

export async function liveSession(db: Executor, id: string, now: number) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id', 'users.id as userId', 'users.email', 'users.email_key as emailKey'])
    .where('sessions.id', '=', id)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', now)
    .executeTakeFirst();
}

export async function revokeSession(db: Executor, id: string, now: number): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
}

export async function forgetSessions(db: Executor, before: number): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<', before).execute();
}
