import { deleteRows, olderThan } from '../../../platform/db/delete-rows.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { ChallengePurpose, ChallengeRow } from '../tables.ts';

/** What identifies a challenge. At most one is open for a purpose, an address and a browser. */
export type ChallengeOwner = {
  purpose: ChallengePurpose;
  emailKey: string;
  browser: string;
  /** The only bucket that the code deletes. */
  bucketId?: string | undefined;
};

const updateUnclosed = (db: Executor, owner: ChallengeOwner) =>
  db
    .updateTable('challenges')
    .where('purpose', '=', owner.purpose)
    .where('email_key', '=', owner.emailKey)
    .where('browser', '=', owner.browser)
    .where('closed_at', 'is', null);

/**
 * Inserts a challenge and returns its row. Throws a unique violation where another one is not closed,
 * also one that another transaction has opened in the meantime; the transaction is then repeated.
 */
export async function insertChallenge(tx: Tx, challenge: ChallengeRow): Promise<ChallengeRow> {
  return tx.insertInto('challenges').values(challenge).returningAll().executeTakeFirstOrThrow();
}

/** Closes the challenge that is open, or has expired since, if there is one. */
export async function closeOpenChallenge(
  tx: Tx,
  owner: ChallengeOwner,
  now: number,
): Promise<void> {
  await updateUnclosed(tx, owner).set({ closed_at: now }).execute();
}

/** Returns the open challenge; undefined where none is open. */
export async function findOpenChallenge(
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
    .$call(inlineRead)
    .executeTakeFirst();
}

/** Replaces the code of a challenge, and resets its tries. */
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

/** Stores which mail job sends the code of a challenge. */
export async function setChallengeMail(tx: Tx, challengeId: string, mailId: string): Promise<void> {
  await tx
    .updateTable('challenges')
    .set({ mail_id: mailId })
    .where('id', '=', challengeId)
    .execute();
}

/**
 * Counts a try before its code is compared, so that parallel guesses can't share one. Returns
 * undefined where nothing is open, or `maxTries` are used up.
 */
export async function countTry(
  tx: Tx,
  owner: ChallengeOwner,
  maxTries: number,
  now: number,
): Promise<ChallengeRow | undefined> {
  return updateUnclosed(tx, owner)
    .where('expires_at', '>', now)
    .where('tries', '<', maxTries)
    .where('code_expires_at', '>', now)
    .set((row) => ({ tries: row('tries', '+', 1) }))
    .returningAll()
    .executeTakeFirst();
}

/** Closes a challenge, so that no code opens it any more. */
export async function closeChallenge(tx: Tx, id: string, now: number): Promise<void> {
  await tx.updateTable('challenges').set({ closed_at: now }).where('id', '=', id).execute();
}

/** Deletes the challenges that expired before a time in epoch milliseconds. */
export const deleteExpiredChallenges = (db: Executor, before: number, signal?: AbortSignal) =>
  deleteRows(db, 'challenges', olderThan('expires_at', before), signal);

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

/** Whether the owner of an address has been logged in in a browser, which has one of these MACs. */
export async function isKnownBrowser(
  db: Executor,
  emailKey: string,
  browsers: string[],
): Promise<boolean> {
  const row = await db
    .selectFrom('known_browsers')
    .innerJoin('users', 'users.id', 'known_browsers.user_id')
    .select('users.id')
    .where('users.email_key', '=', emailKey)
    .where('known_browsers.browser', 'in', browsers)
    .$call(inlineRead)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes the browsers in which no user has logged in since a time in epoch milliseconds. */
export const deleteOldBrowsers = (db: Executor, before: number, signal?: AbortSignal) =>
  deleteRows(db, 'known_browsers', olderThan('seen_at', before), signal);
