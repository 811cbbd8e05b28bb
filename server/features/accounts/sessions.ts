import { jwtVerify, SignJWT } from 'jose';
import { SECOND, SESSION_LIFE } from '../../contract/limits.ts';
import type { SessionWire, Viewer } from '../../contract/wire.ts';
import type { Executor } from '../../platform/db/port.ts';
import { newId } from '../../platform/ids.ts';
import * as store from './store.ts';

const ISSUER = 'wharf';
const AUDIENCE = 'session';

export type Session = Viewer & { sessionId: string };

/** Sessions are rows, so that they can be revoked; the token names its row (JWT, RFC 7519, HS256 only). */
export function createSessions(options: { key: Uint8Array; adminKey: string | null }) {
  const { key, adminKey } = options;

  const read = async (token: string, now: number): Promise<string | null> => {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: AUDIENCE,
        currentDate: new Date(now),
      });
      return payload.jti ?? null;
    } catch {
      return null;
    }
  };

  return {
    async begin(
      tx: Executor,
      user: { id: string; email: string },
      now: number,
    ): Promise<SessionWire> {
      const id = newId(now);
      const exp = Math.floor((now + SESSION_LIFE) / SECOND);
      await store.insertSession(tx, { id, userId: user.id, now, expiresAt: exp * SECOND });
      const token = await new SignJWT()
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(user.id)
        .setJti(id)
        .setIssuedAt(Math.floor(now / SECOND))
        .setExpirationTime(exp)
        .sign(key);
      return { token, userId: user.id, exp, email: user.email };
    },

    /** The live session that a token names; null for a token that is forged, expired or revoked. */
    async find(db: Executor, token: string, now: number): Promise<Session | null> {
      const id = await read(token, now);
      const row = id === null ? undefined : await store.liveSession(db, id, now);
      if (!row) return null;
      return {
        sessionId: row.id,
        userId: row.userId,
        email: row.email,
        isAdmin: row.emailKey === adminKey,
      };
    },

    /** Ends the session that a token names, if it names one. */
    async end(db: Executor, token: string, now: number): Promise<void> {
      const id = await read(token, now);
      if (id) await store.revokeSession(db, id, now);
    },
  };
}
