import { HOUR } from '../../../contract/limits.ts';
import { forbidden } from '../../../errors.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { Client } from '../client.ts';
import type { AccountContext, Address } from '../context.ts';
import { addressTakenMail, codeMail } from '../mails/mails.ts';
import type { Session } from '../sessions/sessions.ts';
import type { ChallengePurpose, ChallengeRow } from '../tables.ts';
import { isDecoy } from './challenges.ts';
import { recognizeClient } from './sign-in-limits.ts';
import * as challengeStore from './sign-in-store.ts';

const CHALLENGE_TTL_MS = HOUR;

/**
 * Confirms a change of a logged-in user: a code is mailed, and comes back from the same browser.
 */
export class EmailConfirmation {
  constructor(private readonly context: AccountContext) {}

  /** Mails a code to an address. Throws too-many. */
  async request(
    session: Session,
    client: Client,
    request: Address & {
      purpose: ChallengePurpose;
      isDecoy: boolean;
      /** The bucket that the code deletes. */
      bucket?: { id: string; name: string } | undefined;
    },
  ) {
    const { database, clock, queue, enqueueMail, appUrl, challenges, limits } = this.context;
    await limits.limitMail(await this.requesterOf(session, client, request));
    await database.transaction(async (tx) => {
      const now = clock();
      const { userId } = session;
      const { browser } = client;
      const expiresAt = now + CHALLENGE_TTL_MS;
      const { email, bucket, ...challenge } = request;
      const issued = await challenges.open(
        tx,
        { ...challenge, email, bucketId: bucket?.id, userId, browser, expiresAt },
        now,
      );
      const mail = isDecoy(issued.challenge)
        ? addressTakenMail(email, appUrl)
        : codeMail(email, issued.code, request.purpose, bucket?.name);
      await challengeStore.setChallengeMail(tx, issued.challenge.id, await enqueueMail(tx, mail));
    });
    queue.wake('mail');
  }

  /**
   * Closes the challenge that this session requested and runs `change`, in one transaction that locks
   * the user. Returns null where the code is wrong, or the session has ended. Throws too-many.
   */
  async confirm<Result>(
    session: Session,
    client: Client,
    form: {
      purpose: ChallengePurpose;
      emailKey: string;
      code: number;
      bucketId?: string | undefined;
    },
    change: (tx: Tx, challenge: ChallengeRow, now: number) => Promise<Result | null>,
  ): Promise<Result | null> {
    const { database, clock, challenges, limits, sessions } = this.context;
    const { purpose, emailKey, code, bucketId } = form;
    // The known browsers are those of the session's address, as the new address of a change has
    // none. A thief's browser is not among them, however often its cookie changes.
    const requester = await recognizeClient(database.db, session.emailKey, client);
    const attempt = { ...requester, what: purpose, emailKey, userId: session.userId };
    return limits.limitAttempt(attempt, () =>
      database.transaction(async (tx) => {
        const now = clock();
        const owner = { purpose, emailKey, browser: client.browser, bucketId };
        const challenge = await challenges.verify(tx, owner, code, now);
        if (challenge?.user_id !== session.userId) return null;
        return (await sessions.lock(tx, session, now)) ? change(tx, challenge, now) : null;
      }),
    );
  }

  /** Throws forbidden for the admin. */
  refuseAdmin(session: Session) {
    if (session.isAdmin)
      throw forbidden("The admin account can't do this: its address is set in the configuration.");
  }

  /**
   * Only a mail to the user's own address counts for a known browser, so that strangers' mails
   * don't use up those of the owner.
   */
  private async requesterOf(session: Session, client: Client, { emailKey }: Address) {
    if (emailKey !== session.emailKey) return { emailKey, client, isKnownBrowser: false };
    return recognizeClient(this.context.database.db, emailKey, client);
  }
}
