import { Elysia } from 'elysia';
import { SESSION_TTL_MS } from '../../contract/limits.ts';
import {
  LoginBody,
  MailStatusAnswer,
  MailStatusQuery,
  ProfileAnswer,
  SendCodeBody,
  SendCodeParams,
  SessionAnswer,
  SignupBody,
  UndoBody,
  VerifyBody,
} from '../../contract/schemas/accounts.ts';
import type { SessionWire } from '../../contract/wire.ts';
import { CROSS_SITE_RESPONSE, openApiResponses } from '../../web/http/openapi-responses.ts';
import { clientReader } from './client.ts';
import { bearerToken } from './guard.ts';
import type { Accounts } from './service.ts';
import {
  clearedSessionCookie,
  cookieNames,
  readCookie,
  sessionCookie,
} from './sessions/cookies.ts';

const BAD_EMAIL = 'The body could not be read, or the email is not one plain address.';
const WRONG_CODE = 'A value is missing, or the code is wrong, spent or older than 10 minutes.';

/** The literal that stands for a password when a code is to be sent again. */
const RESEND = 'nil';

const detail = (summary: string, texts: Record<number, string> = {}) => ({
  detail: { summary, tags: ['Accounts'], ...openApiResponses({ 400: BAD_EMAIL, ...texts }) },
});

type AccountRoutesOptions = {
  accounts: Accounts;
  appUrl: string;
  browserKey: Uint8Array;
  trustedHops: number;
};

/** The user calls of SPEC that need no session. */
export const accountRoutes = (options: AccountRoutesOptions) =>
  new Elysia().use(signupRoutes(options)).use(codeRoutes(options)).use(sessionRoutes(options));

function signupRoutes(options: AccountRoutesOptions) {
  const { accounts, appUrl } = options;
  const clientOf = clientReader(options);

  return new Elysia()
    .post(
      '/users/signup',
      async ({ body, set, request, server }) => {
        await accounts.signIn.requestSignup(body, clientOf({ set, request, server }));
        set.status = 204;
      },
      {
        body: SignupBody,
        ...detail('Ask for an account: a 6-digit code is mailed', {
          204: 'A mail is on its way, whether or not the address has an account.',
          403: CROSS_SITE_RESPONSE,
        }),
      },
    )
    .post(
      '/users/verify',
      async ({ body, set, request, server }) => {
        const form = { email: body.email, code: body.email_token };
        const session = await accounts.signIn.verify(form, clientOf({ set, request, server }));
        return setSessionCookie(session, appUrl, set);
      },
      {
        body: VerifyBody,
        response: SessionAnswer,
        ...detail('Finish a signup or a recovery with the mailed code', {
          403: CROSS_SITE_RESPONSE,
          422: WRONG_CODE,
        }),
      },
    );
}

function codeRoutes(options: AccountRoutesOptions) {
  const { accounts } = options;
  const clientOf = clientReader(options);

  return new Elysia()
    .post(
      '/users/send/email/no/auth/:p1/:p2',
      async ({ params, body, set, request, server }) => {
        const client = clientOf({ set, request, server });
        const form = { email: params.p1, purpose: params.p2, password: body.password };
        const logsIn = form.purpose === 'login' && form.password !== RESEND;
        await (logsIn
          ? accounts.signIn.requestLogin(form, client)
          : accounts.signIn.resendCode(form, client));
        set.status = 204;
      },
      {
        params: SendCodeParams,
        body: SendCodeBody,
        ...detail('Have a code sent: step 1 of a login, a recovery, or again (password nil)', {
          204: 'A mail is on its way, where there is anything to mail.',
          401: 'The email or the password is wrong.',
          403: `The account is banned. ${CROSS_SITE_RESPONSE}`,
        }),
      },
    )
    .get(
      '/users/mail/status',
      async ({ query, set, request, server }) => ({
        failed: await accounts.signIn.mailFailure(query, clientOf({ set, request, server })),
      }),
      {
        query: MailStatusQuery,
        response: MailStatusAnswer,
        ...detail('Whether the last code mail of this browser could not be delivered'),
      },
    );
}

function sessionRoutes(options: AccountRoutesOptions) {
  const { accounts, appUrl } = options;
  const clientOf = clientReader(options);

  return new Elysia()
    .post(
      '/users/login',
      async ({ body, set, request, server }) => {
        const form = { email: body.email, password: body.password, code: body.email_token };
        const session = await accounts.signIn.login(form, clientOf({ set, request, server }));
        return setSessionCookie(session, appUrl, set);
      },
      {
        body: LoginBody,
        response: SessionAnswer,
        ...detail('Step 2 of the login: password and code', {
          401: 'The email or the password is wrong.',
          403: `The account is banned. ${CROSS_SITE_RESPONSE}`,
          422: WRONG_CODE,
        }),
      },
    )
    .post('/users/email/undo', ({ body }) => accounts.emailChange.undoEmailChange(body.token), {
      body: UndoBody,
      response: ProfileAnswer,
      ...detail('Take back a change of address, with the token mailed to the old one', {
        403: CROSS_SITE_RESPONSE,
        410: 'The link has been used, or is older than 72 hours.',
      }),
    })
    .post(
      '/users/logout',
      async ({ request, set }) => {
        const tokens = [bearerToken(request), readCookie(request, cookieNames(appUrl).session)];
        for (const token of tokens) if (token) await accounts.logout(token);
        set.headers['set-cookie'] = clearedSessionCookie(appUrl);
        set.status = 204;
      },
      detail('End the session', {
        204: 'The session is over, and its cookie cleared.',
        403: CROSS_SITE_RESPONSE,
      }),
    );
}

/** Sets the page cookie of a new session, and returns the session for the body of the response. */
function setSessionCookie(
  session: SessionWire,
  appUrl: string,
  set: { headers: Record<string, unknown> },
): SessionWire {
  set.headers['set-cookie'] = sessionCookie(appUrl, session.token, SESSION_TTL_MS);
  return session;
}
