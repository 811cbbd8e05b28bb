import '../../../../tests/support/fixtures/cheap-passwords.ts';
import {
  describeEachEngine,
  describeOnSqlite,
  type OpenDatabase,
} from '../../../../tests/support/server/engines.ts';
import { gated } from '../../../../tests/support/server/gated-database.ts';
import { openMemoryEvents } from '../../../platform/events/memory.ts';
import { openMemoryLimits } from '../../../platform/limits/memory.ts';
import { createMailQueue } from '../../../platform/mail/enqueue-mail.ts';
import type { Mail } from '../../../platform/mail/port.ts';
import { Queue } from '../../../platform/queue/queue.ts';
import { deriveKeys } from '../../../platform/secrets/secrets.ts';
import { Accounts, type Client, type Session } from '../service.ts';
import type { RefusedAttempt } from '../sign-in/refused-attempts.ts';

export const EMAIL = 'Ada@Example.com';
export const PASSWORD = 'correct horse';
/** The address that the account changes to. */
export const NEW = 'ada@new.example';
/** A password that somebody other than the owner sets. */
export const STOLEN = 'stolen password';
export const client = (
  browser: string,
  address = '192.0.2.1',
  trustToken: string | null = null,
): Client => ({
  browser,
  address,
  country: null,
  device: 'Firefox on Linux',
  trustTokenOf: () => trustToken,
});
export const MINE = client('my-browser');
export const OTHERS = client('another-browser', '192.0.2.2');

export const ADMIN: Session = {
  sessionId: 'admins',
  userId: 'admin',
  email: 'admin@example.com',
  emailKey: 'admin@example.com',
  isAdmin: true,
  recoveredAt: null,
  passwordConfirmedAt: 0,
};

/** Stands in the list of mails for a mail job that sends nothing. */
export const NO_MAIL: Mail = { to: '', subject: '', text: '' };

/**
 * Opens accounts on an empty database, with a clock to move, codes that count up, and a list of all
 * mails.
 */
export async function openAccounts(
  openDatabase: OpenDatabase,
  options: { adminEmail: string | null; trustBrowserDays?: number } = {
    adminEmail: 'ada@example.COM',
  },
) {
  const opened = await openDatabase();
  const database = gated(opened);
  const time = { now: Date.parse('2025-06-01T12:00:00Z') };
  const clock = () => time.now;
  const keys = deriveKeys('s'.repeat(32));
  const mails: Mail[] = [];
  const wiped: string[] = [];
  const refused: RefusedAttempt[] = [];
  let failures = 0;
  const events = openMemoryEvents({ onError: () => {} });
  const queue = new Queue({ database, clock, events, onError: () => {} });
  const enqueueMail = createMailQueue(queue, { send: () => new Promise(() => {}) }, keys, clock);
  let next = 100_000;
  const accounts = new Accounts({
    database,
    keys,
    clock,
    queue,
    enqueueMail: (tx, mail) => {
      mails.push(mail ?? NO_MAIL);
      return enqueueMail(tx, mail);
    },
    limits: openMemoryLimits(),
    creditOf: async () => 0,
    events,
    onSignup: async () => {},
    logRefused: (attempt) => refused.push(attempt),
    onError: (error) => {
      throw error;
    },
    ownedResources: {
      totals: async () => ({ buckets: 2, files: 3, bytes: 1024 }),
      paidCredit: async () => 0,
      stop: async () => {},
      bucketName: async () => 'Pictures',
      close: async () => {},
      refresh: async () => {},
      wipe: async (userId) => {
        wiped.push(userId);
        if (failures-- > 0) throw new Error('cut off');
      },
    },
    appUrl: 'http://localhost:3000',
    mail: { from: 'wharf@localhost' },
    adminEmail: options.adminEmail,
    signupsPerNetwork: 20,
    trustBrowserDays: options.trustBrowserDays ?? 30,
    drawCode: () => {
      next += 1;
      return next;
    },
  });
  const { close } = opened;
  opened.close = async () => {
    // Refused attempts are recorded in the background.
    await accounts.settle();
    await close();
  };
  const lastCode = () => Number(mails.at(-1)?.text.match(/\d{6}/)?.[0]);
  const signUp = async () => {
    await accounts.signIn.requestSignup({ email: EMAIL, password: PASSWORD }, MINE);
    return accounts.signIn.verify({ email: EMAIL, code: lastCode() }, MINE);
  };
  const sessionOf = async (token: string): Promise<Session> => {
    const session = await accounts.session(token);
    if (!session) throw new Error('no session');
    return session;
  };
  const breakWipes = (count: number) => {
    failures = count;
  };
  const told = { mails, wiped, refused };
  return { breakWipes, accounts, database, ...told, queue, lastCode, time, signUp, sessionOf };
}

/** Signs up a user who is not the admin and who is logged in in the browser MINE. */
export async function openUser(openDatabase: OpenDatabase, trustBrowserDays = 30) {
  const world = await openAccounts(openDatabase, { adminEmail: null, trustBrowserDays });
  const { token } = await world.signUp();
  return { ...world, token, session: await world.sessionOf(token) };
}
export type World = Awaited<ReturnType<typeof openUser>>;

/** Describes tests that start with a logged-in user, on both databases. */
export const describeUser = (
  name: string,
  body: (open: () => Promise<World>, openDatabase: OpenDatabase) => void,
) => describeEachEngine(name, (openDatabase) => body(() => openUser(openDatabase), openDatabase));

/** Describes such tests on SQLite only, for rules that do not depend on the database. */
export const describeUserOnSqlite = (name: string, body: (open: () => Promise<World>) => void) =>
  describeOnSqlite(name, (openDatabase) => body(() => openUser(openDatabase)));

export const recover = ({ accounts }: World, browser = MINE) =>
  accounts.signIn.resendCode({ email: EMAIL, purpose: 'recovery' }, browser);

export async function logIn(
  { accounts, lastCode }: World,
  password: string,
  browser = MINE,
  email = EMAIL,
) {
  await accounts.signIn.requestLogin({ email, password }, browser);
  return accounts.signIn.login({ email, password, code: lastCode() }, browser);
}
