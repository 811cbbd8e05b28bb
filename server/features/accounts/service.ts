import { DAY, HOUR, SIGNUP_LIFE } from '../../contract/limits.ts';
import type { SessionWire, Viewer } from '../../contract/wire.ts';
import { AppError, badRequest, invalid } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import { newId } from '../../platform/ids.ts';
import { addressKey, parseAddress } from '../../platform/mail/address.ts';
import type { Post } from '../../platform/mail/post.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { Keys } from '../../platform/secrets/keys.ts';
import { createChallenges, randomCode } from './challenges.ts';
import { cookieNames, readCookie } from './cookies.ts';
import { alreadySignedUpMail, codeMail } from './mails.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { createSessions, type Session } from './sessions.ts';
import * as store from './store.ts';

export type { Session } from './sessions.ts';
export type Accounts = ReturnType<typeof createAccounts>;

/** A browser is known by the MAC of its random cookie; see `cookies.ts`. */
export type Browser = string;

const LOGIN_LIFE = HOUR;

const wrongCode = () => invalid('The code is wrong or no longer good.', 'wrong-code');
const wrongCredentials = () =>
  new AppError(401, 'wrong-credentials', 'The email or the password is wrong.');

export function createAccounts(options: {
  database: Database;
  keys: Keys;
  clock: Clock;
  queue: Queue;
  post: Post;
  appUrl: string;
  adminEmail: string | null;
  drawCode?: () => number;
}) {
  const { database, keys, clock, queue, post, appUrl, adminEmail } = options;
  const { db } = database;
  const challenges = createChallenges(keys('one-time-code'), options.drawCode ?? randomCode);
  const sessions = createSessions({
    key: keys('session-token'),
    adminKey: adminEmail && addressKey(adminEmail),
  });
  const names = cookieNames(appUrl);

  const address = (email: string) => {
    const parsed = parseAddress(email);
    if (!parsed) throw badRequest('This is not an email address.', 'bad-email');
    return { email: parsed, emailKey: addressKey(parsed) };
  };

  const userWithPassword = async (emailKey: string, password: string) => {
    const user = await store.userByEmail(db, emailKey);
    const right = await verifyPassword(password, user?.password_hash);
    if (!user || !right) throw wrongCredentials();
    return user;
  };

  return {
    /** Opens a signup: nothing is reserved until the code comes back from the same browser. */
    async requestSignup(form: { email: string; password: string }, browser: Browser) {
      const { email, emailKey } = address(form.email);
      const passwordHash = await hashPassword(form.password);
      const taken = (await store.userByEmail(db, emailKey)) !== undefined;
      await database.transaction(async (tx) => {
        const now = clock();
        const code = await challenges.open(
          tx,
          {
            purpose: 'signup',
            email,
            emailKey,
            browser,
            passwordHash: taken ? null : passwordHash,
            expiresAt: now + SIGNUP_LIFE,
          },
          now,
        );
        await post(
          tx,
          taken ? alreadySignedUpMail(email, appUrl) : codeMail(email, code, 'signup'),
        );
      });
      queue.wake();
    },

    /** Step 1 of the login: the right password has a code sent. Throws wrong-credentials. */
    async requestLogin(form: { email: string; password: string }, browser: Browser) {
      const { email, emailKey } = address(form.email);
      await userWithPassword(emailKey, form.password);
      await database.transaction(async (tx) => {
        const now = clock();
        const code = await challenges.open(
          tx,
          {
            purpose: 'login',
            email,
            emailKey,
            browser,
            passwordHash: null,
            expiresAt: now + LOGIN_LIFE,
          },
          now,
        );
        await post(tx, codeMail(email, code, 'login'));
      });
      queue.wake();
    },

    /** Sends a new code for what this browser has open; says nothing when that is nothing. */
    async resendCode(form: { email: string; purpose: 'signup' | 'login' }, browser: Browser) {
      const { emailKey } = address(form.email);
      await database.transaction(async (tx) => {
        const owner = { purpose: form.purpose, emailKey, browser };
        const renewed = await challenges.renew(tx, owner, clock());
        if (!renewed) return;
        const { challenge, code } = renewed;
        const dead = challenge.purpose === 'signup' && challenge.password_hash === null;
        await post(
          tx,
          dead
            ? alreadySignedUpMail(challenge.email, appUrl)
            : codeMail(challenge.email, code, challenge.purpose),
        );
      });
      queue.wake();
    },

    /** Makes the account that the code confirms, and its first session. Throws wrong-code. */
    async verifySignup(
      form: { email: string; code: number },
      browser: Browser,
    ): Promise<SessionWire> {
      const { emailKey } = address(form.email);
      const session = await database.transaction(async (tx) => {
        const now = clock();
        const owner = { purpose: 'signup' as const, emailKey, browser };
        const challenge = await challenges.answer(tx, owner, form.code, now);
        if (!challenge?.password_hash) return null;
        const user = {
          id: newId(now),
          email: challenge.email,
          email_key: emailKey,
          password_hash: challenge.password_hash,
          created_at: now,
        };
        return (await store.insertUser(tx, user)) ? sessions.begin(tx, user, now) : null;
      });
      if (!session) throw wrongCode();
      return session;
    },

    /** Step 2 of the login. Throws wrong-credentials, wrong-code. */
    async login(
      form: { email: string; password: string; code: number },
      browser: Browser,
    ): Promise<SessionWire> {
      const { emailKey } = address(form.email);
      const user = await userWithPassword(emailKey, form.password);
      const session = await database.transaction(async (tx) => {
        const now = clock();
        const owner = { purpose: 'login' as const, emailKey, browser };
        const challenge = await challenges.answer(tx, owner, form.code, now);
        return challenge ? sessions.begin(tx, user, now) : null;
      });
      if (!session) throw wrongCode();
      return session;
    },

    logout: (token: string) => sessions.end(db, token, clock()),

    session: (token: string): Promise<Session | null> => sessions.find(db, token, clock()),

    /** Who looks at a page, by the page cookie; it authorises nothing else but the socket. */
    async viewerOf(request: Request): Promise<Viewer | null> {
      const token = readCookie(request, names.session);
      return token ? sessions.find(db, token, clock()) : null;
    },

    /** Removes what has been over for a day. */
    async forgetExpired() {
      await store.forgetChallenges(db, clock() - DAY);
      await store.forgetSessions(db, clock() - DAY);
    },
  };
}
