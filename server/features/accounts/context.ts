import { badRequest } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import { addressKey, parseAddress } from '../../platform/mail/address.ts';
import type { MailQueue } from '../../platform/mail/enqueue-mail.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { createSessions } from './sessions/sessions.ts';
import type { createChallenges } from './sign-in/challenges.ts';
import type { createAccountLimits } from './sign-in/sign-in-limits.ts';

/** What the rules of accounts work with; service.ts makes it. */
export type AccountContext = {
  database: Database;
  clock: Clock;
  queue: Queue;
  post: MailQueue;
  appUrl: string;
  undoKey: Uint8Array;
  challenges: ReturnType<typeof createChallenges>;
  limits: ReturnType<typeof createAccountLimits>;
  sessions: ReturnType<typeof createSessions>;
  belongings: Belongings;
  onSignup: (tx: Tx, userId: string, now: number) => Promise<void>;
  /** Says, once it is committed, that sessions of a user have ended. */
  tellEnded(userId: string): Promise<void>;
};

/** The topic of that: `{ userId }`. */
export const SESSION_EVENTS = 'sessions';

/** What an account owns lies in features above this one, which are wired in from outside. */
export type Belongings = {
  totals(userId: string): Promise<{ buckets: number; files: number; bytes: number }>;
  /** Makes all of it refuse everything, in the transaction that begins a deletion. */
  stop(tx: Tx, userId: string): Promise<void>;
  /** Has every cache look at all of it anew. */
  refresh(userId: string): Promise<void>;
  /** Removes all of it. May be cut off and called again. */
  wipe(userId: string): Promise<void>;
  /** The last of it, in the transaction that removes the account's row. */
  close(tx: Tx, userId: string): Promise<void>;
};

export type Address = { email: string; emailKey: string };

/** Throws bad-email for what is not one plain address. */
export function addressOf(email: string): Address {
  const parsed = parseAddress(email);
  if (!parsed) throw badRequest('This is not an email address.', 'bad-email');
  return { email: parsed, emailKey: addressKey(parsed) };
}
