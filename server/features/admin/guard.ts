import { Elysia } from 'elysia';
import { forbidden, notFound, unauthorized } from '../../errors.ts';
import { isId } from '../../platform/ids.ts';
import { wantsPage } from '../../web/http/content-negotiation.ts';
import { sessionDetail } from '../../web/http/openapi-responses.ts';
import { can } from '../access/can.ts';
import { sessionPrincipal } from '../access/principal.ts';
import { bearerToken } from '../accounts/guard.ts';
import type { Accounts, Session } from '../accounts/service.ts';
import type { Admin } from './service.ts';

export type AdminRouteDeps = { accounts: Pick<Accounts, 'session'>; admin: Admin };

/**
 * `{ admin: 'call' }` on a route lets only the admin's bearer token in and gives the handler
 * `admin`. It checks the token, and that each path parameter is an id, before the body is parsed or
 * validated. `{ admin: 'call or page' }` lets a browser's navigation pass, without its query: the
 * page itself checks who asks.
 */
export function adminGuard(accounts: Pick<Accounts, 'session'>) {
  const sessions = new WeakMap<Request, Session>();

  const identify = async (request: Request): Promise<Session> => {
    const cached = sessions.get(request);
    if (cached) return cached;
    const token = bearerToken(request);
    const session = token ? await accounts.session(token) : null;
    if (!session) throw unauthorized();
    if (can(sessionPrincipal(session), 'administer', null))
      throw forbidden('Only the admin may do this.');
    sessions.set(request, session);
    return session;
  };

  return new Elysia({ name: 'admin-guard' }).macro({
    admin: (kind: 'call' | 'call or page') => {
      const check = async (context: {
        request: Request;
        query: unknown;
        params: Record<string, string>;
      }) => {
        if (kind === 'call or page' && wantsPage(context.request)) context.query = {};
        else await identify(context.request);
        if (!Object.values(context.params ?? {}).every(isId)) throw notFound('Page');
      };
      return {
        parse: check as never,
        transform: check as never,
        resolve({ request }) {
          return { admin: sessions.get(request) as Session };
        },
      };
    },
  });
}

/** Describes a call of the admin for the API reference. */
export const detail = sessionDetail('Admin');

/** The 204 response to a request that deletes a bucket or a user. */
export const DELETING = 'Deletion started. Delivery has stopped.';
