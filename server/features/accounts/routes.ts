import { Elysia } from 'elysia';
import { SESSION_LIFE } from '../../contract/limits.ts';
import type { SessionWire } from '../../contract/wire.ts';
import { mac } from '../../platform/secrets/mac.ts';
import {
  browserCookie,
  clearedSessionCookie,
  cookieNames,
  readCookie,
  sessionCookie,
} from './cookies.ts';
import { bearerToken } from './guard.ts';
import {
  LoginBody,
  SendCodeBody,
  SendCodeParams,
  SessionAnswer,
  SignupBody,
  VerifyBody,
} from './schema.ts';
import type { Accounts } from './service.ts';

type Answering = { status?: number | string; headers: Record<string, unknown> };

/** The literal that stands for a password when a code is to be sent again. */
const RESEND = 'nil';

/** SPEC's user calls that need no session. */
export function accountRoutes(options: {
  accounts: Accounts;
  appUrl: string;
  browserKey: Uint8Array;
}) {
  const { accounts, appUrl, browserKey } = options;

  /** The browser's name, given to it when it has none. */
  const browserOf = (request: Request, set: Answering) => {
    const known = readCookie(request, cookieNames(appUrl).browser);
    if (known) return mac(browserKey, known);
    const fresh = crypto.randomUUID();
    set.headers['set-cookie'] = browserCookie(appUrl, fresh);
    return mac(browserKey, fresh);
  };

  const begin = (session: SessionWire, set: Answering) => {
    set.headers['set-cookie'] = sessionCookie(appUrl, session.token, SESSION_LIFE);
    return session;
  };

  return new Elysia({ prefix: '/users' })
    .post(
      '/signup',
      async ({ body, request, set }) => {
        await accounts.requestSignup(body, browserOf(request, set));
        set.status = 204;
      },
      { body: SignupBody },
    )
    .post(
      '/verify',
      async ({ body, request, set }) =>
        begin(
          await accounts.verifySignup(
            { email: body.email, code: body.email_token },
            browserOf(request, set),
          ),
          set,
        ),
      { body: VerifyBody, response: SessionAnswer },
    )
    .post(
      '/send/email/no/auth/:p1/:p2',
      async ({ params, body, request, set }) => {
        const browser = browserOf(request, set);
        const form = { email: params.p1, purpose: params.p2, password: body.password };
        const logsIn = form.purpose === 'login' && form.password !== RESEND;
        await (logsIn ? accounts.requestLogin(form, browser) : accounts.resendCode(form, browser));
        set.status = 204;
      },
      { params: SendCodeParams, body: SendCodeBody },
    )
    .post(
      '/login',
      async ({ body, request, set }) =>
        begin(
          await accounts.login(
            { email: body.email, password: body.password, code: body.email_token },
            browserOf(request, set),
          ),
          set,
        ),
      { body: LoginBody, response: SessionAnswer },
    )
    .post('/logout', async ({ request, set }) => {
      const tokens = [bearerToken(request), readCookie(request, cookieNames(appUrl).session)];
      for (const token of tokens) if (token) await accounts.logout(token);
      set.headers['set-cookie'] = clearedSessionCookie(appUrl);
      set.status = 204;
    });
}
