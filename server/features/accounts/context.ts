import { badRequest } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import { addressKey, isLocalPartForeign, parseAddress } from '../../platform/mail/address.ts';
import type { MailQueue } from '../../platform/mail/enqueue-mail.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { KeyRing } from '../../platform/secrets/secrets.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { Challenges } from './sign-in/challenges.ts';
import type { RefusedAttempts } from './sign-in/refused-attempts.ts';
import type { SignInLimits } from './sign-in/sign-in-limits.ts';
import type { UserRow } from './tables.ts';

/** The dependencies that the classes of this feature share; service.ts creates them. */
export type AccountContext = {
  database: Database;
  clock: Clock;
  queue: Queue;
  enqueueMail: MailQueue;
  appUrl: string;
  /** The sender of all mails. */
  mail: { from: string };
  undoKeys: KeyRing;
  challenges: Challenges;
  limits: SignInLimits;
  refused: RefusedAttempts;
  sessions: Sessions;
  ownedResources: OwnedResources;
  /** For how many days a browser can be trusted; 0 for never. */
  trustBrowserDays: number;
  /** Runs for a new account, in the transaction that creates it. */
  onSignup: (tx: Tx, user: Pick<UserRow, 'id' | 'email_key'>, now: number) => Promise<void>;
  /** Publishes on SESSION_EVENTS, after the commit, that sessions of a user have ended. */
  publishSessionEnd: (userId: string) => Promise<void>;
};

/** The topic on which ended sessions are published, with the payload `{ userId }`. */
export const SESSION_EVENTS = 'sessions';

/**
 * What an account owns belongs to features above this one, so their functions are passed in from
 * outside.
 */
export type OwnedResources = {
  totals(userId: string, tx?: Tx): Promise<{ buckets: number; files: number; bytes: number }>;
  /** Returns what was paid and is not used, in USD. */
  paidCredit(userId: string): Promise<number>;
  /** Returns the name of a bucket of the account. Throws not-found. */
  bucketName(userId: string, bucketId: string): Promise<string>;
  /** Disables everything the account owns, in the transaction that starts its deletion. */
  stop(tx: Tx, userId: string): Promise<void>;
  /** Invalidates what every cache keeps of the account's buckets and files. */
  refresh(userId: string): Promise<void>;
  /**
   * Deletes everything the account owns. The signal interrupts it, and another call continues.
   * @param options.files how many files there were when the deletion started, if that is known
   * @param options.report called with the progress in per cent
   */
  wipe(
    userId: string,
    options: { files?: number; signal: AbortSignal; report: (percent: number) => void },
  ): Promise<void>;
  /** Settles what is left, in the transaction that deletes the account's row. */
  close(tx: Tx, user: Pick<UserRow, 'id' | 'email_key'>): Promise<void>;
};

export type Address = { email: string; emailKey: string };

/**
 * Returns the parsed address and its key. Throws bad-email for text that is not one plain address.
 */
export function addressOf(email: string): Address {
  const parsed = parseAddress(email);
  if (!parsed) {
    const text = isLocalPartForeign(email)
      ? "Email addresses with characters like ü or 你 before the @ aren't supported. Use another address."
      : 'Enter a valid email address.';
    throw badRequest(text, 'bad-email');
  }
  return { email: parsed, emailKey: addressKey(parsed) };
}
