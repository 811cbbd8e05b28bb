import { DAY, DELETION_TURN_MS } from '../../contract/limits.ts';
import type { Viewer } from '../../contract/wire.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Executor } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import type { Limits } from '../../platform/limits/port.ts';
import { addressKey } from '../../platform/mail/address.ts';
import type { MailQueue } from '../../platform/mail/enqueue-mail.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { Keys } from '../../platform/secrets/secrets.ts';
import { recordAudit } from './audit.ts';
import { cookieNames, readCookie, trustTokenOf } from './client.ts';
import { type AccountContext, type OwnedResources, SESSION_EVENTS } from './context.ts';
import { Moderation } from './moderation/moderation.ts';
import { EmailChange } from './profile/email-change.ts';
import { PasswordConfirmation } from './profile/password-confirmation.ts';
import { Profile } from './profile/profile.ts';
import * as sessionStore from './sessions/session-store.ts';
import { type Session, Sessions } from './sessions/sessions.ts';
import { Challenges, randomCode } from './sign-in/challenges.ts';
import { EmailConfirmation } from './sign-in/email-confirmation.ts';
import { ensureAccount } from './sign-in/ensure-account.ts';
import { type RefusedAttempt, RefusedAttempts } from './sign-in/refused-attempts.ts';
import { SignIn } from './sign-in/sign-in.ts';
import { SignInLimits } from './sign-in/sign-in-limits.ts';
import * as challengeStore from './sign-in/sign-in-store.ts';
import * as store from './store.ts';
import { TrustedBrowsers } from './trusted-browsers/trusted-browsers.ts';
import { deleteOldTrustedBrowsers } from './trusted-browsers/trusted-browsers-store.ts';

export type { Client } from './client.ts';
export { type OwnedResources, SESSION_EVENTS } from './context.ts';
export { accountBeingDeleted } from './errors.ts';
export { AccountBans } from './moderation/account-bans.ts';
export { accountOf } from './moderation/moderation.ts';
export type { Session } from './sessions/sessions.ts';
export { resetPassword } from './sign-in/passwords.ts';
export { lockUser, ownStorageLimit } from './store.ts';
export type { AccountStatus } from './tables.ts';

/** A browser in which nobody has logged in for so long counts as a stranger's again. */
const KNOWN_BROWSER_TTL_MS = 180 * DAY;

type AccountsOptions = {
  database: Database;
  keys: Keys;
  clock: Clock;
  queue: Queue;
  enqueueMail: MailQueue;
  limits: Limits;
  ownedResources: OwnedResources;
  /** Runs for a new account, in the transaction that creates it. */
  onSignup: AccountContext['onSignup'];
  /** The balance of an account, in USD. */
  creditOf: (userId: string) => Promise<number>;
  /** Whether this server has the S3 API, whose page only then is in the navigation. */
  hasS3?: boolean;
  events: Events;
  appUrl: string;
  mail: { from: string };
  adminEmail: string | null;
  /** How many sign-ups a network can request in a day. */
  signupsPerNetwork: number;
  /** For how many days a browser can be trusted; 0 for never. */
  trustBrowserDays: number;
  /** Logs an attempt at a password or a code that was refused. */
  logRefused: (refused: RefusedAttempt) => void;
  /** Called where such an attempt can't be recorded. */
  onError: (error: unknown) => void;
  drawCode?: () => number;
};

/** Accounts and their sessions. Each group of calls is a class of its own. */
export class Accounts {
  readonly signIn: SignIn;
  readonly profile: Profile;
  readonly emailChange: EmailChange;
  readonly moderation: Moderation;
  readonly password: PasswordConfirmation;
  readonly trustedBrowsers: TrustedBrowsers;
  private readonly context: AccountContext;
  private readonly creditOf: (userId: string) => Promise<number>;
  private readonly hasS3: boolean;

  constructor(options: AccountsOptions) {
    const context = contextOf(options);
    const confirmation = new EmailConfirmation(context);
    this.context = context;
    this.creditOf = options.creditOf;
    this.hasS3 = options.hasS3 ?? false;
    this.trustedBrowsers = new TrustedBrowsers(context);
    this.signIn = new SignIn(context, this.trustedBrowsers);
    this.profile = new Profile(context, confirmation);
    this.emailChange = new EmailChange(context, confirmation);
    this.moderation = new Moderation(context);
    this.password = new PasswordConfirmation(context);
    handleAccountDeletion(context);
  }

  /** Ends the session that a token names, if it names one. */
  async logout(token: string) {
    const { database, clock, sessions } = this.context;
    const now = clock();
    const claims = await sessions.verify(token, now);
    if (!claims) return;
    const { id, userId } = claims;
    const isEnded = await database.transaction(async (tx) => {
      if (!(await sessionStore.revokeSession(tx, userId, id, now))) return false;
      await recordAudit(tx, now, 'logged-out', userId);
      return true;
    });
    if (isEnded) await this.context.publishSessionEnd(userId);
  }

  /** Returns the live session that a token names; null where it names none. */
  session(token: string): Promise<Session | null> {
    const { database, clock, sessions } = this.context;
    return sessions.find(database.db, token, clock());
  }

  /**
   * Returns the id of the account of an address, which is created without a known password where there is none; null
   * where it is not active.
   */
  ensure(email: string): Promise<string | null> {
    return ensureAccount(this.context, email);
  }

  /** Whether an address is the admin's. */
  isAdmin(emailKey: string): boolean {
    return this.context.sessions.isAdmin(emailKey);
  }

  /**
   * Returns the viewer of a page, by the page cookie; null for a visitor. The cookie authorizes
   * nothing but pages and the WebSocket.
   */
  async viewerOf(request: Request): Promise<Viewer | null> {
    const session = await this.sessionOfCookie(request);
    if (!session) return null;
    const { userId, email, isAdmin } = session;
    const credit = await this.creditOf(userId).catch(() => null);
    return { userId, email, isAdmin, credit, ...(this.hasS3 && { hasS3: true }) };
  }

  /** Returns the user of a page, by the page cookie, with one lookup; null for a visitor. */
  async userOfPage(request: Request): Promise<string | null> {
    const session = await this.sessionOfCookie(request);
    return session?.userId ?? null;
  }

  /**
   * Lists where the viewer of a page is logged in, their latest logins, and the browsers that they trust, which are
   * null where this server trusts none. Returns null for a visitor.
   */
  async securityOfViewer(request: Request) {
    const session = await this.sessionOfCookie(request);
    if (!session) return null;
    const token = trustTokenOf(this.context.appUrl, request, session.userId);
    const [sessions, browsers, logins] = await Promise.all([
      this.profile.listSessions(session),
      this.trustedBrowsers.days > 0 ? this.trustedBrowsers.list(session, token) : null,
      this.profile.listLogins(session),
    ]);
    return { sessions, browsers, logins };
  }

  /** Returns the address to write to a user at; null where the account is gone or inactive. */
  async addressOf(executor: Executor, userId: string): Promise<string | null> {
    const user = await store.userById(executor, userId);
    return user?.status === 'active' ? user.email : null;
  }

  /**
   * Deletes the challenges, sessions and changes of address that expired a day ago or earlier, and
   * the browsers in which nobody has logged in for long.
   */
  async forgetExpired(signal?: AbortSignal): Promise<void> {
    const { database, clock } = this.context;
    const before = clock() - DAY;
    await challengeStore.deleteExpiredChallenges(database.db, before, signal);
    await sessionStore.deleteExpiredSessions(database.db, before, signal);
    await store.deleteExpiredEmailChanges(database.db, before, signal);
    const trustedBefore = before - this.trustedBrowsers.days * DAY;
    await deleteOldTrustedBrowsers(database.db, trustedBefore, signal);
    const seenBefore = clock() - KNOWN_BROWSER_TTL_MS;
    await challengeStore.deleteOldBrowsers(database.db, seenBefore, signal);
  }

  /** Waits until the refused attempts are recorded. */
  settle(): Promise<void> {
    return this.context.refused.settle();
  }

  private async sessionOfCookie(request: Request): Promise<Session | null> {
    const token = readCookie(request, cookieNames(this.context.appUrl).session);
    return token ? this.session(token) : null;
  }
}

function contextOf(options: AccountsOptions): AccountContext {
  const { database, keys, clock, events, adminEmail, logRefused: log, onError } = options;
  const { db } = database;
  const key = keys('limits');
  const refused = new RefusedAttempts({ db, clock, key, log, onError });
  return {
    ...options,
    undoKeys: keys.all('undo-email-change'),
    challenges: new Challenges(keys('one-time-code'), options.drawCode ?? randomCode),
    refused,
    limits: new SignInLimits(
      options.limits,
      key,
      refused,
      async (emailKey) => {
        const user = await store.userByEmail(db, emailKey);
        await recordAudit(db, clock(), 'locked', user?.id ?? null, 'system');
      },
      options.signupsPerNetwork,
    ),
    sessions: new Sessions({
      keys: keys.all('session-token'),
      adminKey: adminEmail && addressKey(adminEmail),
    }),
    publishSessionEnd: (userId) => events.publish(SESSION_EVENTS, { userId }),
  };
}

/** Registers the job that deletes what an account owns, then the account. */
function handleAccountDeletion({ queue, ownedResources, clock }: AccountContext) {
  queue.handle<{ files?: number }>('delete-account', {
    concurrency: 1,
    turnMs: DELETION_TURN_MS,
    async run({ subject: userId, payload, signal, report }) {
      await ownedResources.wipe(userId, { ...payload, signal, report });
      return async (tx) => {
        const user = await store.lockUser(tx, userId);
        if (!user) return;
        await ownedResources.close(tx, user);
        await recordAudit(tx, clock(), 'wiped', userId, 'system');
        await store.deleteUser(tx, userId);
      };
    },
  });
}
