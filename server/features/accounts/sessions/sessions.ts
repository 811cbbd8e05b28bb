import { jwtVerify, SignJWT } from 'jose';
import { MINUTE, SECOND, SESSION_TTL_MS } from '../../../contract/limits.ts';
import type { SessionWire, Viewer } from '../../../contract/wire.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import type { Client } from '../client.ts';
import * as store from '../store.ts';

const ISSUER = 'wharf';
const AUDIENCE = 'session';
/** 'Last seen' is this exact, so that not every request writes. */
const SEEN_EVERY = 5 * MINUTE;

export type Session = Omit<Viewer, 'credit'> & {
  sessionId: string;
  emailKey: string;
  /** Epoch ms, where a recovery began it. */
  recoveredAt: number | null;
};

/** Sessions are rows, so that they can be revoked; the token names its row (JWT, RFC 7519, HS256 only). */
export function createSessions(options: { key: Uint8Array; adminKey: string | null }) {
  const { key, adminKey } = options;

  const read = async (
    token: string,
    now: number,
  ): Promise<{ id: string; userId: string } | null> => {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: AUDIENCE,
        currentDate: new Date(now),
      });
      return payload.jti && payload.sub ? { id: payload.jti, userId: payload.sub } : null;
    } catch {
      return null;
    }
  };

  return {
    isAdmin: (emailKey: string) => emailKey === adminKey,

    async begin(
      tx: Executor,
      user: { id: string; email: string },
      client: Client,
      now: number,
      recoveredAt: number | null = null,
    ): Promise<SessionWire & { sessionId: string }> {
      const id = newId(now);
      const exp = Math.floor((now + SESSION_TTL_MS) / SECOND);
      const { device, address } = client;
      const expiresAt = exp * SECOND;
      await store.insertSession(tx, {
        id,
        userId: user.id,
        device,
        address,
        now,
        expiresAt,
        recoveredAt,
      });
      const token = await new SignJWT()
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(user.id)
        .setJti(id)
        .setIssuedAt(Math.floor(now / SECOND))
        .setExpirationTime(exp)
        .sign(key);
      return { token, userId: user.id, exp, email: user.email, sessionId: id };
    },

    /** The live session that a token names; null for a token that is forged, expired or revoked. */
    async find(db: Executor, token: string, now: number): Promise<Session | null> {
      const named = await read(token, now);
      const row = named && (await store.liveSession(db, named.id, now));
      if (!row) return null;
      if (now - row.lastSeenAt > SEEN_EVERY) await store.seeSession(db, row.id, now);
      return {
        sessionId: row.id,
        userId: row.userId,
        email: row.email,
        emailKey: row.emailKey,
        isAdmin: row.emailKey === adminKey,
        recoveredAt: row.recoveredAt,
      };
    },

    /** Ends the session that a token names; returns whose it was, null where it names none that is open. */
    async end(db: Executor, token: string, now: number): Promise<string | null> {
      const named = await read(token, now);
      if (!named) return null;
      return (await store.revokeSession(db, named.userId, named.id, now)) ? named.userId : null;
    },
  };
}
