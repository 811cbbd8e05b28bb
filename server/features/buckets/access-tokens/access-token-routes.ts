import { Elysia } from 'elysia';
import { AccessTokenListResponse } from '../../../contract/schemas/access-tokens.ts';
import { sessionDetail } from '../../../web/http/openapi-responses.ts';
import { sessionGuard } from '../../accounts/guard.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { Buckets } from '../service.ts';

const detail = sessionDetail('Tokens');

/** Mounts the calls for the access tokens of a bucket that have a name. They need the owner's session. */
export function accessTokenRoutes({
  accounts,
  buckets: { accessTokens },
}: {
  accounts: Accounts;
  buckets: Buckets;
}) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .get(
      '/buckets/tokens/:bucketID',
      ({ session, params }) => accessTokens.list(session.userId, params.bucketID),
      {
        session: true,
        response: AccessTokenListResponse,
        ...detail('listTokens', 'List the tokens with a name that have not expired, newest first'),
      },
    )
    .delete(
      '/buckets/tokens/:bucketID/:tokenID',
      async ({ session, params, set }) => {
        await accessTokens.revoke(session.userId, params.bucketID, params.tokenID);
        set.status = 204;
      },
      {
        session: true,
        ...detail('revokeToken', 'Revoke a token with a name, and no other', { 204: 'Revoked.' }),
      },
    );
}
