import { DAY } from '../../contract/limits.ts';
import type { Viewer } from '../../contract/wire.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Executor, Tx } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import type { Limits } from '../../platform/limits/port.ts';
import { addressKey } from '../../platform/mail/address.ts';
import type { MailQueue } from '../../platform/mail/enqueue-mail.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { Keys } from '../../platform/secrets/keys.ts';
import { recordAudit } from './audit.ts';
import { type AccountContext, type Belongings, SESSION_EVENTS } from './context.ts';
import { createModeration } from './moderation/moderation.ts';
import { createEmailChange } from './profile/email-change.ts';
import { createProfile } from './profile/profile.ts';
import { deleteUser, userById } from './profile/profile-store.ts';
import { cookieNames, readCookie } from './sessions/cookies.ts';
import { createSessions, type Session } from './sessions/sessions.ts';
import { createChallenges, randomCode } from './sign-in/challenges.ts';
import { createEmailConfirmation } from './sign-in/email-confirmation.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import { createAccountLimits } from './sign-in/sign-in-limits.ts';
import * as store from './store.ts';

export type { Client } from './client.ts';
export { type Belongings, SESSION_EVENTS } from './context.ts';
export { layOut } from './mails/mail-layout.tsx';
export { accountOf, resetPassword, setBanned } from './moderation/operator.ts';
export type { Session } from './sessions/sessions.ts';
export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts(options: {
  database: Database;
  keys: Keys;
  clock: Clock;
  queue: Queue;
  post: MailQueue;
  limits: Limits;
  belongings: Belongings;
  /** Told of a new account in the transaction that makes it. */
  onSignup: (tx: Tx, userId: string, now: number) => Promise<void>;
  /** The balance of an account, in USD. */
  creditOf: (userId: string) => Promise<number>;
  events: Events;
  appUrl: string;
  adminEmail: string | null;
  drawCode?: () => number;
}) {
  const { database, keys, clock, queue, adminEmail, belongings } = options;
  const { db } = database;
  const sessions = createSessions({
    key: keys('session-token'),
    adminKey: adminEmail && addressKey(adminEmail),
  });
  const context: AccountContext = {
    ...options,
    undoKey: keys('undo-email-change'),
    challenges: createChallenges(keys('one-time-code'), options.drawCode ?? randomCode),
    limits: createAccountLimits(options.limits, keys('limits'), async (emailKey) => {
      const user = await store.userByEmail(db, emailKey);
      await recordAudit(db, clock(), 'locked', user?.id ?? null, 'system');
    }),
    sessions,
    tellEnded: (userId) => options.events.publish(SESSION_EVENTS, { userId }),
  };
  const names = cookieNames(options.appUrl);

  queue.handle('delete-account', {
    concurrency: 1,
    async run({ subject: userId }) {
      await belongings.wipe(userId);
      return async (tx) => {
        await belongings.close(tx, userId);
        await recordAudit(tx, clock(), 'wiped', userId, 'system');
        await deleteUser(tx, userId);
      };
    },
  });

  const confirming = createEmailConfirmation(context);
  const profile = createProfile(context, confirming);

  /** The session of whoever looks at a page, by the page cookie. */
  const looking = async (request: Request): Promise<Session | null> => {
    const token = readCookie(request, names.session);
    return token ? sessions.find(db, token, clock()) : null;
  };

  return {
    ...createSignIn(context),
    ...profile,
    ...createEmailChange(context, confirming),
    ...createModeration(context),

    /** Ends the session that a token names, if it names one. */
    async logout(token: string) {
      const userId = await database.transaction(async (tx) => {
        const now = clock();
        const ended = await sessions.end(tx, token, now);
        if (ended) await recordAudit(tx, now, 'logged-out', ended);
        return ended;
      });
      if (userId) await context.tellEnded(userId);
    },

    session: (token: string): Promise<Session | null> => sessions.find(db, token, clock()),

    isAdmin: sessions.isAdmin,

    /** Who looks at a page, by the page cookie; it authorises nothing else but the socket. */
    async viewerOf(request: Request): Promise<Viewer | null> {
      const session = await looking(request);
      if (!session) return null;
      const { userId, email, isAdmin } = session;
      const credit = await options.creditOf(userId).catch(() => null);
      return { userId, email, isAdmin, credit };
    },

    /** Where whoever looks at a page is logged in, for the page; null for a visitor. */
    async sessionsOfViewer(request: Request) {
      const session = await looking(request);
      return session && profile.listSessions(session);
    },

    /** Where to write to a user; null where the account is gone or going. */
    async addressOf(executor: Executor, userId: string): Promise<string | null> {
      const user = await userById(executor, userId);
      return user?.status === 'active' ? user.email : null;
    },

    /** Removes what has been over for a day. */
    async forgetExpired() {
      await store.forgetChallenges(db, clock() - DAY);
      await store.forgetSessions(db, clock() - DAY);
    },
  };
}
