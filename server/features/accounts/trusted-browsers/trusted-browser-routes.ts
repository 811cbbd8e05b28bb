import { Elysia } from 'elysia';
import { TrustedBrowserListResponse } from '../../../contract/schemas/accounts.ts';
import {
  CROSS_SITE_RESPONSE,
  PASSWORD_REQUIRED_RESPONSE,
  sessionDetail,
} from '../../../web/http/openapi-responses.ts';
import { trustTokenOf } from '../client.ts';
import { sessionGuard } from '../guard.ts';
import type { Accounts } from '../service.ts';

const detail = sessionDetail('Profile');

/** Mounts the calls for the browsers that a user trusts. */
export const trustedBrowserRoutes = ({
  accounts,
  appUrl,
}: {
  accounts: Accounts;
  appUrl: string;
}) =>
  new Elysia()
    .use(sessionGuard(accounts))
    .get(
      '/users/trusted-browsers',
      async ({ session, request }) => {
        const token = trustTokenOf(appUrl, request, session.userId);
        return { data: await accounts.trustedBrowsers.list(session, token) };
      },
      {
        session: true,
        response: TrustedBrowserListResponse,
        ...detail('listTrustedBrowsers', 'List the browsers that log in without a code'),
      },
    )
    .delete(
      '/users/trusted-browsers/:id',
      async ({ session, params, set }) => {
        await accounts.trustedBrowsers.remove(session, params.id);
        set.status = 204;
      },
      {
        session: 'password',
        ...detail('deleteTrustedBrowser', 'Require a code again in a browser', {
          204: 'The next login there needs a code. Sessions go on.',
          403: `${PASSWORD_REQUIRED_RESPONSE}. ${CROSS_SITE_RESPONSE}`,
        }),
      },
    );
