import { Elysia } from 'elysia';
import { unauthorized } from '../../errors.ts';
import type { Accounts, Session } from './service.ts';

export { clientReader } from './client.ts';

/** Returns the token of `Authorization: Bearer`, or null. */
export function bearerToken(request: Request): string | null {
  const match = /^Bearer ([^\s]+)$/i.exec(request.headers.get('authorization') ?? '');
  return match?.[1] ?? null;
}

type SessionLevel = true | 'password';

/** Tells a caller who sends a bucket's key that a key is not accepted, which "Log in" would not. */
const apiKeyHint = (request: Request): string | undefined =>
  request.headers.has('x-api-key')
    ? "API keys aren't accepted for this call. Send a session token as Authorization: Bearer."
    : undefined;

/**
 * `{ session: true }` on a route lets only a session's bearer token in and gives the handler
 * `session`. `{ session: 'password' }` also asks for the password where it was entered too long
 * ago. It checks before the body is parsed or validated, so that a stranger learns nothing else.
 */
export function sessionGuard(accounts: Pick<Accounts, 'session' | 'password'>) {
  const sessions = new WeakMap<Request, Session>();

  const checkFor =
    (level: SessionLevel) =>
    async ({ request }: { request: Request }) => {
      if (sessions.has(request)) return;
      const token = bearerToken(request);
      const session = token ? await accounts.session(token) : null;
      if (!session) throw unauthorized(apiKeyHint(request));
      if (level === 'password') accounts.password.require(session);
      sessions.set(request, session);
    };

  return new Elysia({ name: 'session-guard' }).macro({
    session: (level: SessionLevel) => ({
      parse: checkFor(level),
      transform: checkFor(level),
      resolve({ request }) {
        const session = sessions.get(request);
        if (!session) throw unauthorized();
        return { session };
      },
    }),
  });
}
