import { Elysia } from 'elysia';
import {
  ChangeEmailBody,
  ChangePasswordBody,
  ContentsAnswer,
  DeleteAccountBody,
  ProfileAnswer,
  RequestCodeBody,
  SessionListAnswer,
} from '../../../contract/schemas/accounts.ts';
import { badRequest } from '../../../errors.ts';
import { CROSS_SITE_RESPONSE, openApiResponses } from '../../../web/http/openapi-responses.ts';
import { clientReader } from '../client.ts';
import { sessionGuard } from '../guard.ts';
import type { Accounts } from '../service.ts';
import { clearedSessionCookie } from '../sessions/cookies.ts';

const detail = (summary: string, texts: Record<number, string> = {}) => ({
  detail: { summary, tags: ['Profile'], security: [{ session: [] }], ...openApiResponses(texts) },
});
const WRONG_CODE = 'A value is missing, or the code is wrong, spent or older than 10 minutes.';
const NOT_THE_ADMINS = `The admin's account keeps its address and can not be deleted. ${CROSS_SITE_RESPONSE}`;

type ProfileRoutesOptions = {
  accounts: Accounts;
  appUrl: string;
  browserKey: Uint8Array;
  trustedHops: number;
};

/** The user calls of SPEC for a user who is logged in. */
export const profileRoutes = (options: ProfileRoutesOptions) =>
  new Elysia()
    .use(emailRoutes(options))
    .use(passwordAndDeletionRoutes(options))
    .use(sessionListRoutes(options));

function emailRoutes(options: ProfileRoutesOptions) {
  const { accounts } = options;
  const clientOf = clientReader(options);

  return new Elysia()
    .use(sessionGuard(accounts))
    .get('/users/profile', ({ session }) => ({ email: session.email }), {
      session: true,
      response: ProfileAnswer,
      ...detail('The address of the account'),
    })
    .post(
      '/users/email',
      async ({ session, body, set, request, server }) => {
        const client = clientOf({ set, request, server });
        if (body.subject !== 'change-email') {
          await accounts.profile.requestCode(session, body.subject, client);
        } else if (body.email)
          await accounts.emailChange.requestEmailChange(session, body.email, client);
        else throw badRequest('Send the new address as the field email.');
        set.status = 204;
      },
      {
        session: true,
        body: RequestCodeBody,
        ...detail('Have a code mailed for a change or a deletion (form field subject)', {
          204: 'A mail is on its way: for change-email to the new address, else to the own one.',
          400: 'The new address is missing, or is not one plain address.',
          403: NOT_THE_ADMINS,
        }),
      },
    )
    .put(
      '/users/email',
      async ({ session, body, set, request, server }) => {
        const form = { email: body.email, code: body.email_token };
        await accounts.emailChange.changeEmail(session, form, clientOf({ set, request, server }));
        set.status = 204;
      },
      {
        session: true,
        body: ChangeEmailBody,
        ...detail('Move the account to another address', {
          204: 'Moved. The old address gets a link that undoes it for 72 hours.',
          403: NOT_THE_ADMINS,
          422: WRONG_CODE,
        }),
      },
    );
}

function passwordAndDeletionRoutes(options: ProfileRoutesOptions) {
  const { accounts, appUrl } = options;
  const clientOf = clientReader(options);

  return new Elysia()
    .use(sessionGuard(accounts))
    .put(
      '/users/update/password',
      async ({ session, body, set, request, server }) => {
        const form = { password: body.password, code: body.email_token };
        await accounts.profile.changePassword(session, form, clientOf({ set, request, server }));
        set.status = 204;
      },
      {
        session: true,
        body: ChangePasswordBody,
        ...detail('Set a new password; the other sessions end', {
          204: 'The password is set. Within 10 minutes of a recovery no code is needed.',
          403: CROSS_SITE_RESPONSE,
          422: WRONG_CODE,
        }),
      },
    )
    .post('/users/empty', ({ session }) => accounts.profile.contents(session), {
      session: true,
      response: ContentsAnswer,
      ...detail('What deleting the account would wipe', { 403: CROSS_SITE_RESPONSE }),
    })
    .delete(
      '/users/',
      async ({ session, body, set, request, server }) => {
        await accounts.profile.deleteAccount(
          session,
          body.token,
          clientOf({ set, request, server }),
        );
        set.headers['set-cookie'] = clearedSessionCookie(appUrl);
        set.status = 204;
      },
      {
        session: true,
        body: DeleteAccountBody,
        ...detail('Delete the account and all its data, with the mailed code', {
          204: 'The account can do nothing any more; what it owned is being wiped.',
          403: NOT_THE_ADMINS,
          422: WRONG_CODE,
        }),
      },
    );
}

function sessionListRoutes({ accounts }: ProfileRoutesOptions) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .get(
      '/users/sessions',
      async ({ session }) => ({ data: await accounts.profile.listSessions(session) }),
      {
        session: true,
        response: SessionListAnswer,
        ...detail('Where the account is logged in'),
      },
    )
    .delete(
      '/users/sessions/:id',
      async ({ session, params, set }) => {
        await accounts.profile.endSession(session, params.id);
        set.status = 204;
      },
      {
        session: true,
        ...detail('End one session', { 204: 'It is over at once.', 403: CROSS_SITE_RESPONSE }),
      },
    )
    .delete(
      '/users/sessions',
      async ({ session, set }) => {
        await accounts.profile.endOtherSessions(session);
        set.status = 204;
      },
      {
        session: true,
        ...detail('End all other sessions', {
          204: 'They are over at once.',
          403: CROSS_SITE_RESPONSE,
        }),
      },
    );
}
