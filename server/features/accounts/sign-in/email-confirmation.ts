import { HOUR } from '../../../contract/limits.ts';
import { forbidden } from '../../../errors.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { ChallengePurpose, ChallengeRow } from '../../../platform/db/tables.ts';
import type { Client } from '../client.ts';
import type { AccountContext, Address } from '../context.ts';
import { addressTakenMail, codeMail } from '../mails/mails.ts';
import * as profile from '../profile/profile-store.ts';
import type { Session } from '../sessions/sessions.ts';
import * as store from '../store.ts';
import { isDead } from './challenges.ts';

const CHALLENGE_LIFE = HOUR;

export type EmailConfirmation = ReturnType<typeof createEmailConfirmation>;

/** How a logged-in user confirms a change: a code is mailed, and comes back from the same browser. */
export function createEmailConfirmation(context: AccountContext) {
  const { database, clock, queue, post, appUrl, challenges, limits } = context;
  const { db } = database;

  /** Whether the account has been logged in in this browser. */
  const knows = ({ emailKey }: Session, { browser }: Client) =>
    profile.isKnownBrowser(db, emailKey, browser);

  const request = async (
    session: Session,
    client: Client,
    wanted: Address & { purpose: ChallengePurpose; isDead: boolean },
  ) => {
    const { emailKey } = wanted;
    // To one's own address, so that strangers' mails don't use up those of the owner.
    const isKnownBrowser = emailKey === session.emailKey && (await knows(session, client));
    await limits.askedForMail({ emailKey, client, isKnownBrowser });
    await database.transaction(async (tx) => {
      const now = clock();
      const { userId } = session;
      const { browser } = client;
      const expiresAt = now + CHALLENGE_LIFE;
      const issued = await challenges.open(tx, { ...wanted, userId, browser, expiresAt }, now);
      const { email } = wanted;
      const mail = isDead(issued.challenge)
        ? addressTakenMail(email, appUrl)
        : codeMail(email, issued.code, wanted.purpose);
      await store.noteMail(tx, issued.challenge.id, await post(tx, await mail));
    });
    queue.wake();
  };

  /** Spends a code that this session asked for. Null where it is wrong. */
  const confirm = async <Result>(
    session: Session,
    client: Client,
    asked: { purpose: ChallengePurpose; emailKey: string; code: number },
    change: (tx: Tx, challenge: ChallengeRow, now: number) => Promise<Result | null>,
  ): Promise<Result | null> => {
    const { purpose, emailKey, code } = asked;
    // A thief of a session is no known browser, however many names their own takes.
    const trying = {
      what: purpose,
      emailKey,
      client,
      isKnownBrowser: await knows(session, client),
    };
    return limits.tried(trying, () =>
      database.transaction(async (tx) => {
        const now = clock();
        // It may have been ended, or the account banned, since the call came.
        if (!(await store.liveSession(tx, session.sessionId, now))) return null;
        const owner = { purpose, emailKey, browser: client.browser };
        const challenge = await challenges.answer(tx, owner, code, now);
        return challenge?.user_id === session.userId ? change(tx, challenge, now) : null;
      }),
    );
  };

  const refuseAdmin = (session: Session) => {
    if (session.isAdmin)
      throw forbidden("The admin's account can't do this: its address is in the configuration.");
  };

  return { request, confirm, refuseAdmin };
}
