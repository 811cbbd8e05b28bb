import { Elysia } from 'elysia';
import { unauthorized } from '../../errors.ts';
import type { Accounts, Session } from './service.ts';

export { clientReader } from './client.ts';

/** Returns the token of `Authorization: Bearer`, or null. */
export function bearerToken(request: Request): string | null {
  const match = /^Bearer ([^\s]+)$/i.exec(request.headers.get('authorization') ?? '');
  return match?.[1] ?? null;
}

/** Tells a caller who sends a bucket's key that a key is not accepted, which "Log in" would not. */
const apiKeyHint = (request: Request): string | undefined =>
  request.headers.has('x-api-key')
    ? "API keys aren't accepted for this call. Send a session token as Authorization: Bearer."
    : undefined;

/**
 * `{ session: true }` on a route lets only a session's bearer token in and gives the handler
 * `session`. It checks before the body is parsed or validated, so that a stranger learns nothing
 * else.
 */
export function sessionGuard(accounts: Pick<Accounts, 'session'>) {
  const sessions = new WeakMap<Request, Session>();

  const check = async ({ request }: { request: Request }) => {
    if (sessions.has(request)) return;
    const token = bearerToken(request);
    const session = token ? await accounts.session(token) : null;
    if (!session) throw unauthorized(apiKeyHint(request));
    sessions.set(request, session);
  };

  return new Elysia({ name: 'session-guard' }).macro({
    session: (_on: true) => ({
      parse: check,
      transform: check,
      resolve({ request }) {
        const session = sessions.get(request);
        if (!session) throw unauthorized();
        return { session };
      },
    }),
  });
}
