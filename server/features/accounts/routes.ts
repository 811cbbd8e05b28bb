import { Elysia } from 'elysia';
import { DAY, SESSION_TTL_MS } from '../../contract/limits.ts';
import {
  LoginBody,
  MailStatusQuery,
  MailStatusResponse,
  ProfileResponse,
  SendCodeBody,
  SendCodeParams,
  SessionResponse,
  SignupBody,
  TrustedLoginBody,
  UndoBody,
  VerifyBody,
} from '../../contract/schemas/accounts.ts';
import type { SessionWire } from '../../contract/wire.ts';
import type { KeyRing } from '../../platform/secrets/secrets.ts';
import { CROSS_SITE_RESPONSE, openApiResponses } from '../../web/http/openapi-responses.ts';
import {
  clearedSessionCookie,
  clientReader,
  cookieNames,
  readCookie,
  sessionCookie,
  trustCookie,
} from './client.ts';
import { bearerToken } from './guard.ts';
import type { Accounts } from './service.ts';

const BAD_EMAIL = 'The body could not be read, or the email address is not valid.';
const WRONG_CODE = 'A value is missing, or the code is incorrect, already used or expired.';

/** The specification's placeholder for the password when a code is to be sent again. */
const RESEND = 'nil';

const detail = (operationId: string, summary: string, texts: Record<number, string> = {}) => ({
  detail: {
    operationId,
    summary,
    tags: ['Accounts'],
    ...openApiResponses({ 400: BAD_EMAIL, ...texts }),
  },
});

type AccountRoutesOptions = {
  accounts: Accounts;
  appUrl: string;
  browserKeys: KeyRing;
  trustedHops: number;
  countryHeader: string | null;
};

/** Returns the calls below `/users` that need no session. */
export const accountRoutes = (options: AccountRoutesOptions) => [
  signupRoutes(options),
  codeRoutes(options),
  loginRoutes(options),
  sessionRoutes(options),
];

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
        ...detail('signUp', 'Sign up; a 6-digit code is sent by email', {
          204: 'An email was sent, whether or not the address has an account.',
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
        response: SessionResponse,
        ...detail('verifyEmail', 'Finish a signup or a password recovery with the emailed code', {
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
        ...detail(
          'sendCode',
          'Send a code: step 1 of a login, a recovery, or to resend one (password nil)',
          {
            204: 'The code was sent, if the address can receive one.',
            401: 'Incorrect email or password.',
            403: `The account is banned. ${CROSS_SITE_RESPONSE}`,
          },
        ),
      },
    )
    .get(
      '/users/mail/status',
      async ({ query, set, request, server }) => ({
        failed: await accounts.signIn.mailFailure(query, clientOf({ set, request, server })),
      }),
      {
        query: MailStatusQuery,
        response: MailStatusResponse,
        ...detail(
          'getMailStatus',
          'Check whether the last code sent from this browser could not be delivered',
        ),
      },
    );
}

function loginRoutes(options: AccountRoutesOptions) {
  const { accounts, appUrl } = options;
  const clientOf = clientReader(options);

  return new Elysia()
    .post(
      '/users/login',
      async ({ body, set, request, server }) => {
        const form = { email: body.email, password: body.password, code: body.email_token };
        const client = clientOf({ set, request, server });
        if (!body.trust_browser) {
          return setSessionCookie(await accounts.signIn.login(form, client), appUrl, set);
        }
        const { session, trustToken } = await accounts.signIn.loginAndTrust(form, client);
        const ttl = accounts.trustedBrowsers.days * DAY;
        const trust = trustToken ? [trustCookie(appUrl, session.userId, trustToken, ttl)] : [];
        return setSessionCookie(session, appUrl, set, trust);
      },
      {
        body: LoginBody,
        response: SessionResponse,
        ...detail('logIn', 'Log in with password and code: step 2 of a login', {
          401: 'Incorrect email or password.',
          403: `The account is banned. ${CROSS_SITE_RESPONSE}`,
          422: WRONG_CODE,
        }),
      },
    )
    .post(
      '/users/login/trusted',
      async ({ body, set, request, server }) => {
        const client = clientOf({ set, request, server });
        return setSessionCookie(await accounts.signIn.loginTrusted(body, client), appUrl, set);
      },
      {
        body: TrustedLoginBody,
        response: SessionResponse,
        ...detail('logInTrusted', 'Log in with the password alone, in a browser that is trusted', {
          401: 'Incorrect email or password.',
          403: `A code is needed (code-required), or the account is banned. ${CROSS_SITE_RESPONSE}`,
        }),
      },
    );
}

function sessionRoutes({ accounts, appUrl }: AccountRoutesOptions) {
  return new Elysia()
    .post('/users/email/undo', ({ body }) => accounts.emailChange.undoEmailChange(body.token), {
      body: UndoBody,
      response: ProfileResponse,
      ...detail(
        'undoEmailChange',
        'Undo an email address change, with the token sent to the old address',
        {
          403: CROSS_SITE_RESPONSE,
          410: 'The link has expired or was already used.',
        },
      ),
    })
    .post(
      '/users/logout',
      async ({ request, set }) => {
        const tokens = [bearerToken(request), readCookie(request, cookieNames(appUrl).session)];
        for (const token of tokens) if (token) await accounts.logout(token);
        set.headers['set-cookie'] = clearedSessionCookie(appUrl);
        set.status = 204;
      },
      detail('logOut', 'Log out', {
        204: 'The session ended and its cookie was cleared.',
        403: CROSS_SITE_RESPONSE,
      }),
    );
}

/** Sets the page cookie of a new session and other cookies, and returns the session for the body of the response. */
function setSessionCookie(
  session: SessionWire,
  appUrl: string,
  set: { headers: Record<string, unknown> },
  others: string[] = [],
): SessionWire {
  const own = sessionCookie(appUrl, session.token, SESSION_TTL_MS);
  set.headers['set-cookie'] = others.length > 0 ? [own, ...others] : own;
  return session;
}
