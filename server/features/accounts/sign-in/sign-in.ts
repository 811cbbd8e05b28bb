import { HOUR, SIGNUP_TTL_MS } from '../../../contract/limits.ts';
import type { SessionWire } from '../../../contract/wire.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { ChallengePurpose, ChallengeRow, UserRow } from '../../../platform/db/tables.ts';
import { newId } from '../../../platform/ids.ts';
import { recordAudit } from '../audit.ts';
import type { Client } from '../client.ts';
import { type AccountContext, type Address, addressOf } from '../context.ts';
import { accountBanned, wrongCode, wrongCredentials } from '../errors.ts';
import { addressTakenMail, codeMail, noAccountMail } from '../mails/mails.ts';
import * as profile from '../profile/profile-store.ts';
import * as store from '../store.ts';
import { type IssuedCode, isDead } from './challenges.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

/** The ways in, for somebody who is not logged in. */
export type SignInPurpose = 'signup' | 'login' | 'recovery';

const LIVES: Record<SignInPurpose, number> = { signup: SIGNUP_TTL_MS, login: HOUR, recovery: HOUR };

type Credentials = { email: string; password: string };
type Answer = { email: string; code: number };

/**
 * Signup, login and recovery. Whether an address has an account shows in nothing: the same
 * work is done, the same is answered, and a mail job is written either way.
 */
export function createSignIn(context: AccountContext) {
  const { database, clock, queue, post, appUrl, challenges, limits, sessions } = context;
  const { db } = database;

  /**
   * Mails the code; to an address that nobody may enter by, what its owner should know. One mail goes
   * out either way: whether it can be delivered shows, and must not show whether there is an account.
   */
  const mailCode = async (tx: Tx, { code, challenge }: IssuedCode) => {
    const { purpose, email } = challenge;
    const instead = purpose === 'signup' ? addressTakenMail : noAccountMail;
    const mail = isDead(challenge) ? instead(email, appUrl) : codeMail(email, code, purpose);
    await store.noteMail(tx, challenge.id, await post(tx, await mail));
  };

  const open = async (
    address: Address,
    purpose: SignInPurpose,
    client: Client,
    details: { isDead: boolean; passwordHash?: string },
  ) => {
    await database.transaction(async (tx) => {
      const now = clock();
      const { browser } = client;
      const expiresAt = now + LIVES[purpose];
      await mailCode(
        tx,
        await challenges.open(tx, { ...address, ...details, purpose, browser, expiresAt }, now),
      );
    });
    queue.wake();
  };

  const recognise = async (emailKey: string, client: Client) => ({
    emailKey,
    client,
    isKnownBrowser: await profile.isKnownBrowser(db, emailKey, client.browser),
  });

  const userWithPassword = async ({ emailKey }: Address, password: string, client: Client) => {
    const trying = { what: 'password', ...(await recognise(emailKey, client)) };
    const user = await limits.tried(trying, async () => {
      const found = await store.userByEmail(db, emailKey);
      const isRight = await verifyPassword(password, found?.password_hash);
      return isRight && found && found.status !== 'deleting' ? found : null;
    });
    if (!user) throw wrongCredentials();
    // Only who knows the password learns it.
    if (user.status === 'banned') throw accountBanned();
    return user;
  };

  /** Spends the code of the purpose and does what it opens, in one transaction. */
  const answer = async <Result>(
    { emailKey }: Address,
    purposes: SignInPurpose[],
    code: number,
    client: Client,
    enter: (tx: Tx, challenge: ChallengeRow, now: number) => Promise<Result | null>,
  ): Promise<Result> => {
    const trying = { what: purposes.join(), ...(await recognise(emailKey, client)) };
    const result = await limits.tried(trying, () =>
      database.transaction(async (tx) => {
        const now = clock();
        for (const purpose of purposes) {
          const owner = { purpose, emailKey, browser: client.browser };
          const challenge = await challenges.answer(tx, owner, code, now);
          if (challenge) return enter(tx, challenge, now);
        }
        return null;
      }),
    );
    if (!result) throw wrongCode();
    return result;
  };

  const begin = async (
    tx: Tx,
    user: UserRow,
    client: Client,
    now: number,
    recoveredAt: number | null = null,
  ): Promise<SessionWire> => {
    await profile.rememberBrowser(tx, user.id, client.browser, now);
    const { sessionId, ...session } = await sessions.begin(tx, user, client, now, recoveredAt);
    if (recoveredAt !== null) await store.revokeSessions(tx, user.id, sessionId, now);
    return session;
  };

  const signUp = async (tx: Tx, challenge: ChallengeRow, client: Client, now: number) => {
    const user: UserRow = {
      id: newId(now),
      email: challenge.email,
      email_key: challenge.email_key,
      password_hash: challenge.password_hash ?? '',
      status: 'active',
      created_at: now,
    };
    // Taken since it was asked for, or kept for the account that had it.
    if (await profile.isAddressTaken(tx, user.email_key, now)) return null;
    if (!(await store.insertUser(tx, user))) return null;
    await context.onSignup(tx, user.id, now);
    await recordAudit(tx, now, 'signed-up', user.id);
    return begin(tx, user, client, now);
  };

  const recover = async (tx: Tx, challenge: ChallengeRow, client: Client, now: number) => {
    const user = await store.userByEmail(tx, challenge.email_key);
    if (user?.status !== 'active') return null;
    await recordAudit(tx, now, 'recovered', user.id);
    return begin(tx, user, client, now, now);
  };

  return {
    /** Opens a signup: nothing is reserved until the code comes back from the same browser. */
    async requestSignup(form: Credentials, client: Client) {
      const address = addressOf(form.email);
      await limits.askedForMail(await recognise(address.emailKey, client));
      const passwordHash = await hashPassword(form.password);
      const taken = await profile.isAddressTaken(db, address.emailKey, clock());
      await open(address, 'signup', client, { isDead: taken, passwordHash });
    },

    /** Step 1 of the login: the right password has a code sent. Throws wrong-credentials. */
    async requestLogin(form: Credentials, client: Client) {
      const address = addressOf(form.email);
      await userWithPassword(address, form.password, client);
      await limits.askedForMail(await recognise(address.emailKey, client));
      await open(address, 'login', client, { isDead: false });
    },

    /**
     * Sends a new code for what this browser has open, and says nothing when that is nothing;
     * a recovery, which has no other first step, is opened.
     */
    async resendCode(form: { email: string; purpose: SignInPurpose }, client: Client) {
      const address = addressOf(form.email);
      await limits.askedForMail(await recognise(address.emailKey, client));
      const owner = { purpose: form.purpose, emailKey: address.emailKey, browser: client.browser };
      const renewed = await database.transaction(async (tx) => {
        const issued = await challenges.renew(tx, owner, clock());
        if (issued) await mailCode(tx, issued);
        else if (form.purpose !== 'recovery') await post(tx, null);
        return issued !== null;
      });
      queue.wake();
      if (renewed || form.purpose !== 'recovery') return;
      const user = await store.userByEmail(db, address.emailKey);
      await open(address, 'recovery', client, { isDead: user?.status !== 'active' });
    },

    /** Finishes the signup or the recovery that is open for the address. Throws wrong-code. */
    async verify(form: Answer, client: Client): Promise<SessionWire> {
      const session = await answer(
        addressOf(form.email),
        ['signup', 'recovery'],
        form.code,
        client,
        (tx, challenge, now) =>
          challenge.purpose === 'signup'
            ? signUp(tx, challenge, client, now)
            : recover(tx, challenge, client, now),
      );
      await context.tellEnded(session.userId);
      return session;
    },

    /** Step 2 of the login. Throws wrong-credentials, wrong-code. */
    async login(form: Credentials & Answer, client: Client): Promise<SessionWire> {
      const address = addressOf(form.email);
      const user = await userWithPassword(address, form.password, client);
      return answer(address, ['login'], form.code, client, async (tx, _challenge, now) => {
        // The password may have been changed since it was looked at.
        const current = await profile.userById(tx, user.id);
        const isStill = current?.password_hash === user.password_hash;
        if (current?.status !== 'active' || !isStill) return null;
        await recordAudit(tx, now, 'logged-in', user.id);
        return begin(tx, current, client, now);
      });
    },

    /** Why this browser's last code mail can't arrive, for a person; null where nothing is known. */
    async mailFailure(form: { email: string; purpose: ChallengePurpose }, client: Client) {
      const { emailKey } = addressOf(form.email);
      const owner = { purpose: form.purpose, emailKey, browser: client.browser };
      const challenge = await store.openChallenge(db, owner, clock());
      const state = challenge?.mail_id ? await queue.stateOf(challenge.mail_id) : null;
      if (state === 'failed')
        return 'The mail could not be delivered. Check the address, or resend the code.';
      if (state === 'retrying')
        return 'The mail server does not take the mail yet. It is tried again.';
      return null;
    },
  };
}
