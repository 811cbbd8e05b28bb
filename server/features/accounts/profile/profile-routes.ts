import { Elysia } from 'elysia';
import {
  ChangeEmailBody,
  ChangePasswordBody,
  ConfirmPasswordBody,
  ContentsResponse,
  DeleteAccountBody,
  LoginListResponse,
  ProfileResponse,
  RequestCodeBody,
  SessionListResponse,
} from '../../../contract/schemas/accounts.ts';
import { badRequest } from '../../../errors.ts';
import type { KeyRing } from '../../../platform/secrets/secrets.ts';
import {
  CROSS_SITE_RESPONSE,
  PASSWORD_REQUIRED_RESPONSE,
  sessionDetail,
} from '../../../web/http/openapi-responses.ts';
import { clearedSessionCookie, clientReader } from '../client.ts';
import { sessionGuard } from '../guard.ts';
import type { Accounts } from '../service.ts';
import { trustedBrowserRoutes } from '../trusted-browsers/trusted-browser-routes.ts';

const detail = sessionDetail('Profile');
const WRONG_CODE = 'A value is missing, or the code is incorrect, already used or expired.';
const NOT_THE_ADMINS = `The admin account's address can't be changed, and the account can't be deleted. ${CROSS_SITE_RESPONSE}`;

type ProfileRoutesOptions = {
  accounts: Accounts;
  appUrl: string;
  browserKeys: KeyRing;
  trustedHops: number;
  countryHeader: string | null;
};

/** Returns the calls below `/users` for a logged-in user. */
export const profileRoutes = (options: ProfileRoutesOptions) => [
  emailRoutes(options),
  passwordRoutes(options),
  deletionRoutes(options),
  sessionListRoutes(options),
  trustedBrowserRoutes(options),
];

function emailRoutes(options: ProfileRoutesOptions) {
  const { accounts } = options;
  const clientOf = clientReader(options);

  return new Elysia()
    .use(sessionGuard(accounts))
    .get('/users/profile', ({ session }) => ({ email: session.email }), {
      session: true,
      response: ProfileResponse,
      ...detail('getProfile', "Get the account's email address"),
    })
    .post(
      '/users/email',
      async ({ session, body, set, request, server }) => {
        const client = clientOf({ set, request, server });
        if (body.subject !== 'change-email') {
          const { subject, bucket_id: bucketId } = body;
          await accounts.profile.requestCode(session, subject, client, bucketId);
        } else if (body.email) {
          accounts.password.require(session);
          await accounts.emailChange.requestEmailChange(session, body.email, client);
        } else throw badRequest('Send the new address in the email field.');
        set.status = 204;
      },
      {
        session: true,
        body: RequestCodeBody,
        ...detail(
          'requestConfirmationCode',
          'Email a confirmation code for a change or a deletion (form field subject)',
          {
            204: 'The code was sent: for change-email to the new address, otherwise to the current one.',
            400: 'The new address, or the id of the bucket to delete, is missing or not valid.',
            403: `${PASSWORD_REQUIRED_RESPONSE} (change-email). ${NOT_THE_ADMINS}`,
          },
        ),
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
        session: 'password',
        body: ChangeEmailBody,
        ...detail('updateEmail', "Change the account's email address", {
          204: 'Changed. The old address receives a link that undoes the change for 72 hours.',
          403: `${PASSWORD_REQUIRED_RESPONSE}. ${NOT_THE_ADMINS}`,
          422: WRONG_CODE,
        }),
      },
    );
}

function passwordRoutes(options: ProfileRoutesOptions) {
  const { accounts } = options;
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
        ...detail('updatePassword', 'Set a new password and end all other sessions', {
          204: 'Password changed. No code is needed within 10 minutes of a recovery.',
          403: CROSS_SITE_RESPONSE,
          422: WRONG_CODE,
        }),
      },
    )
    .post(
      '/users/confirm/password',
      async ({ session, body, set, request, server }) => {
        const client = clientOf({ set, request, server });
        await accounts.password.confirm(session, body.password, client);
        set.status = 204;
      },
      {
        session: true,
        body: ConfirmPasswordBody,
        ...detail(
          'confirmPassword',
          'Confirm the password, for the calls that ask for it within 10 minutes',
          {
            204: 'Confirmed for 10 minutes. A login counts as well.',
            403: CROSS_SITE_RESPONSE,
            422: 'Incorrect password.',
          },
        ),
      },
    );
}

function deletionRoutes(options: ProfileRoutesOptions) {
  const { accounts, appUrl } = options;
  const clientOf = clientReader(options);

  return new Elysia()
    .use(sessionGuard(accounts))
    .post('/users/empty', ({ session }) => accounts.profile.contents(session), {
      session: true,
      response: ContentsResponse,
      ...detail('previewAccountDeletion', 'Preview what deleting the account would delete', {
        403: CROSS_SITE_RESPONSE,
      }),
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
        ...detail('deleteAccount', 'Delete the account and all its data, using the emailed code', {
          204: 'The account is closed; its data is being deleted.',
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
        response: SessionListResponse,
        ...detail('listSessions', "List the account's sessions"),
      },
    )
    .get(
      '/users/logins',
      async ({ session }) => ({ data: await accounts.profile.listLogins(session) }),
      {
        session: true,
        response: LoginListResponse,
        ...detail('listLogins', 'List the last 20 logins of the account within 30 days'),
      },
    )
    .delete(
      '/users/sessions/:id',
      async ({ session, params, set }) => {
        await accounts.profile.endSession(session, params.id);
        set.status = 204;
      },
      {
        session: 'password',
        ...detail('deleteSession', 'End one session', {
          204: 'The session ended.',
          403: `${PASSWORD_REQUIRED_RESPONSE}. ${CROSS_SITE_RESPONSE}`,
        }),
      },
    )
    .delete(
      '/users/sessions',
      async ({ session, set }) => {
        await accounts.profile.endOtherSessions(session);
        set.status = 204;
      },
      {
        session: 'password',
        ...detail('deleteOtherSessions', 'End all other sessions', {
          204: 'All other sessions ended.',
          403: `${PASSWORD_REQUIRED_RESPONSE}. ${CROSS_SITE_RESPONSE}`,
        }),
      },
    );
}
