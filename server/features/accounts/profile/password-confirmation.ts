import { PASSWORD_CONFIRMATION_TTL_MS } from '../../../contract/limits.ts';
import type { Client } from '../client.ts';
import type { AccountContext } from '../context.ts';
import { passwordRequired, wrongPassword } from '../errors.ts';
import * as sessionStore from '../sessions/session-store.ts';
import type { Session } from '../sessions/sessions.ts';
import { verifyPassword } from '../sign-in/passwords.ts';
import { recognizeClient } from '../sign-in/sign-in-limits.ts';
import * as store from '../store.ts';

/**
 * Whether the password of a session was entered recently enough for a sensitive action.
 * @param now in epoch milliseconds
 */
export const isPasswordConfirmed = (
  { passwordConfirmedAt }: Pick<Session, 'passwordConfirmedAt'>,
  now: number,
): boolean => now - passwordConfirmedAt < PASSWORD_CONFIRMATION_TTL_MS;

/**
 * Asks for the password again before an action that would turn a stolen session into the account,
 * or lock its owner out ('sudo mode').
 */
export class PasswordConfirmation {
  constructor(private readonly context: AccountContext) {}

  /** Whether the session may act without entering its password. */
  isConfirmed(session: Session): boolean {
    return isPasswordConfirmed(session, this.context.clock());
  }

  /** Throws password-required where the password was entered too long ago. */
  require(session: Session): void {
    if (!this.isConfirmed(session)) throw passwordRequired();
  }

  /** Confirms the session with its user's password. Throws wrong-password, too-many. */
  async confirm(session: Session, password: string, client: Client): Promise<void> {
    const { database, clock, limits } = this.context;
    const { db } = database;
    const { emailKey, userId, sessionId } = session;
    const requester = await recognizeClient(db, emailKey, client);
    // The attempts count with those of the login, so that a thief gets no further guesses here.
    const attempt = { what: 'password', ...requester, userId };
    const isRight = await limits.limitAttempt(attempt, async () => {
      const user = await store.userById(db, userId);
      return (await verifyPassword(password, user?.password_hash)) || null;
    });
    if (!isRight) throw wrongPassword();
    await sessionStore.setPasswordConfirmed(db, sessionId, clock());
  }
}
