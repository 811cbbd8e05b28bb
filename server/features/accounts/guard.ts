import { Elysia } from 'elysia';
import { unauthorized } from '../../errors.ts';
import type { Accounts, Session } from './service.ts';

export { clientReader } from './client.ts';

/** The token of `Authorization: Bearer`, or null. */
export function bearerToken(request: Request): string | null {
  const match = /^Bearer ([^\s]+)$/i.exec(request.headers.get('authorization') ?? '');
  return match?.[1] ?? null;
}

/** Who sends a bucket's key has not forgotten to log in, but holds what can't do this. */
const whatIsMissing = (request: Request): string | undefined =>
  request.headers.has('x-api-key')
    ? "An API key can't do this. Send the token of a session, as Authorization: Bearer."
    : undefined;

/**
 * `{ session: true }` on a route lets only a session's bearer token in and gives the handler
 * `session`. It checks before the body is parsed or validated, so that a stranger learns nothing else.
 */
export function sessionGuard(accounts: Pick<Accounts, 'session'>) {
  const known = new WeakMap<Request, Session>();

  const check = async ({ request }: { request: Request }) => {
    if (known.has(request)) return;
    const token = bearerToken(request);
    const session = token ? await accounts.session(token) : null;
    if (!session) throw unauthorized(whatIsMissing(request));
    known.set(request, session);
  };

  return new Elysia({ name: 'session-guard' }).macro({
    session: (_on: true) => ({
      parse: check,
      transform: check,
      resolve({ request }) {
        const session = known.get(request);
        if (!session) throw unauthorized();
        return { session };
      },
    }),
  });
}
