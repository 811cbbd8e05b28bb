import { SignJWT } from 'jose';
import { MINUTE, SECOND, SESSION_TTL_MS } from '../../../contract/limits.ts';
import type { SessionWire, Viewer } from '../../../contract/wire.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import type { KeyRing } from '../../../platform/secrets/secrets.ts';
import { verifyJwt } from '../../../platform/secrets/verify-jwt.ts';
import type { Client } from '../client.ts';
import { lockUser } from '../store.ts';
import type { LoginMethod } from '../tables.ts';
import * as sessionStore from './session-store.ts';

const ISSUER = 'wharf';
const AUDIENCE = 'session';
/**
 * How old `last_seen_at` may become before a request updates it, so that not every request writes.
 */
const LAST_SEEN_INTERVAL_MS = 5 * MINUTE;

export type Session = Omit<Viewer, 'credit' | 'hasS3'> & {
  sessionId: string;
  emailKey: string;
  /**
   * When a recovery started the session, in epoch milliseconds; null where a login or a signup did.
   */
  recoveredAt: number | null;
  /**
   * When the password was last entered, in epoch milliseconds. A login, a signup and a recovery
   * count, as each of them proves more than the password.
   */
  passwordConfirmedAt: number;
};

/** A session without its token. `startedAt` is in milliseconds, `exp` in seconds. */
export type NewSession = Pick<SessionWire, 'userId' | 'email' | 'exp'> & {
  sessionId: string;
  startedAt: number;
};

/**
 * Sessions are rows, so that they can be revoked; the token names its row (JWT, RFC 7519, HS256
 * only).
 */
export class Sessions {
  constructor(private readonly options: { keys: KeyRing; adminKey: string | null }) {}

  /** Whether an address is the admin's. */
  isAdmin(emailKey: string): boolean {
    return emailKey === this.options.adminKey;
  }

  /** Starts a session. `sign` returns its token. */
  async start(
    tx: Executor,
    user: { id: string; email: string },
    client: Client,
    method: LoginMethod,
    now: number,
  ): Promise<NewSession> {
    const id = newId(now);
    const exp = Math.floor((now + SESSION_TTL_MS) / SECOND);
    const { device, address, country } = client;
    await sessionStore.insertSession(tx, {
      id,
      userId: user.id,
      device,
      address,
      country,
      now,
      expiresAt: exp * SECOND,
      recoveredAt: method === 'recovery' ? now : null,
      method,
    });
    return { sessionId: id, userId: user.id, email: user.email, startedAt: now, exp };
  }

  /** Signs the token of a new session, after the transaction that started it. */
  async sign({ sessionId, userId, email, startedAt, exp }: NewSession): Promise<SessionWire> {
    const [key] = this.options.keys;
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(userId)
      .setJti(sessionId)
      .setIssuedAt(Math.floor(startedAt / SECOND))
      .setExpirationTime(exp)
      .sign(key);
    return { token, userId, exp, email };
  }

  /**
   * Returns the live session that a token names; null for a token that is forged, expired or
   * revoked.
   */
  async find(db: Executor, token: string, now: number): Promise<Session | null> {
    const claims = await this.verify(token, now);
    const row = claims && (await sessionStore.findLiveSession(db, claims.id, now));
    if (!row) return null;
    if (now - row.lastSeenAt > LAST_SEEN_INTERVAL_MS)
      await sessionStore.updateLastSeen(db, row.id, now);
    return {
      sessionId: row.id,
      userId: row.userId,
      email: row.email,
      emailKey: row.emailKey,
      isAdmin: this.isAdmin(row.emailKey),
      recoveredAt: row.recoveredAt,
      passwordConfirmedAt: row.passwordConfirmedAt,
    };
  }

  /**
   * Locks the user of a session until the transaction ends. Returns false where the session has ended
   * since it was found, or the user's address has changed: what was to be done is then not done.
   */
  async lock(tx: Tx, session: Session, now: number): Promise<boolean> {
    const user = await lockUser(tx, session.userId);
    if (user?.email_key !== session.emailKey) return false;
    return (await sessionStore.findLiveSession(tx, session.sessionId, now)) !== undefined;
  }

  /** Returns the session that a token was signed for, ended or not; null for any other token. */
  async verify(token: string, now: number): Promise<{ id: string; userId: string } | null> {
    try {
      const payload = await verifyJwt(token, this.options.keys, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: AUDIENCE,
        currentDate: new Date(now),
      });
      return payload.jti && payload.sub ? { id: payload.jti, userId: payload.sub } : null;
    } catch {
      return null;
    }
  }
}
