import { HOUR, SIGNUP_TTL_MS } from '../../../contract/limits.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { Client } from '../client.ts';
import type { AccountContext, Address } from '../context.ts';
import { wrongCode } from '../errors.ts';
import { addressTakenMail, codeMail, noAccountMail } from '../mails/mails.ts';
import type { ChallengeRow } from '../tables.ts';
import { type IssuedCode, isDecoy } from './challenges.ts';
import { recognizeClient } from './sign-in-limits.ts';
import * as challengeStore from './sign-in-store.ts';

/** The purposes of a code for somebody who is not logged in. */
export type SignInPurpose = 'signup' | 'login' | 'recovery';

const CHALLENGE_TTL_MS: Record<SignInPurpose, number> = {
  signup: SIGNUP_TTL_MS,
  login: HOUR,
  recovery: HOUR,
};

/**
 * The codes that are mailed to somebody who is not logged in. Whether an address has an account
 * shows in nothing: the same work is done, the response is the same, and a mail job is written
 * either way.
 */
export class SignInCodes {
  constructor(private readonly context: AccountContext) {}

  /** Opens a challenge for this browser and mails its code. */
  async send(
    address: Address,
    purpose: SignInPurpose,
    client: Client,
    details: { isDecoy: boolean; passwordHash?: string },
  ) {
    const { database, clock, challenges, queue } = this.context;
    await database.transaction(async (tx) => {
      const now = clock();
      const { browser } = client;
      const expiresAt = now + CHALLENGE_TTL_MS[purpose];
      await this.mailCode(
        tx,
        await challenges.open(tx, { ...address, ...details, purpose, browser, expiresAt }, now),
      );
    });
    queue.wake('mail');
  }

  /** Mails a new code for the challenge that is open. Returns false where none is open. */
  async resend(owner: challengeStore.ChallengeOwner): Promise<boolean> {
    const { database, clock, challenges, queue, enqueueMail } = this.context;
    const isRenewed = await database.transaction(async (tx) => {
      const issued = await challenges.renew(tx, owner, clock());
      if (issued) await this.mailCode(tx, issued);
      else if (owner.purpose !== 'recovery') await enqueueMail(tx, null);
      return issued !== null;
    });
    queue.wake('mail');
    return isRenewed;
  }

  /**
   * Closes the challenge that the code opens and runs `work`, in one transaction. Throws
   * wrong-code where no challenge of these purposes has the code, or `work` returns null.
   */
  async confirm<Result>(
    { emailKey }: Address,
    purposes: SignInPurpose[],
    code: number,
    client: Client,
    work: (tx: Tx, challenge: ChallengeRow, now: number) => Promise<Result | null>,
  ): Promise<Result> {
    const { database, clock, challenges, limits } = this.context;
    const requester = await recognizeClient(database.db, emailKey, client);
    const result = await limits.limitAttempt({ what: purposes.join(), ...requester }, () =>
      database.transaction(async (tx) => {
        const now = clock();
        for (const purpose of purposes) {
          const owner = { purpose, emailKey, browser: client.browser };
          const challenge = await challenges.verify(tx, owner, code, now);
          if (challenge) return work(tx, challenge, now);
        }
        return null;
      }),
    );
    if (!result) throw wrongCode();
    return result;
  }

  /**
   * Says why the mail with the last code of this browser can't arrive, in a sentence for a person.
   * Returns null where nothing is known to be wrong.
   */
  async mailFailure(owner: challengeStore.ChallengeOwner): Promise<string | null> {
    const { database, clock, queue } = this.context;
    const challenge = await challengeStore.findOpenChallenge(database.db, owner, clock());
    const state = challenge?.mail_id ? await queue.stateOf(challenge.mail_id) : null;
    if (state === 'failed')
      return 'The email could not be delivered. Check the address, or resend the code.';
    if (state === 'retrying')
      return "The mail server hasn't accepted the email yet. We'll keep trying.";
    return null;
  }

  /**
   * Mails the code, or for a decoy an explanation to the owner of the address. One mail goes out
   * either way: a failed delivery shows, and must not show whether there is an account.
   */
  private async mailCode(tx: Tx, { code, challenge }: IssuedCode) {
    const { appUrl, enqueueMail } = this.context;
    const { purpose, email } = challenge;
    const decoyMail = purpose === 'signup' ? addressTakenMail : noAccountMail;
    const mail = isDecoy(challenge) ? decoyMail(email, appUrl) : codeMail(email, code, purpose);
    await challengeStore.setChallengeMail(tx, challenge.id, await enqueueMail(tx, mail));
  }
}
