import { Elysia } from 'elysia';
import {
  ApiKeyListResponse,
  CreateApiKeyBody,
  CreatedApiKeyResponse,
} from '../../../contract/schemas/api-keys.ts';
import { KeyResponse } from '../../../contract/schemas/buckets.ts';
import { PASSWORD_REQUIRED_RESPONSE, sessionDetail } from '../../../web/http/openapi-responses.ts';
import { sessionGuard } from '../../accounts/guard.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { Buckets } from '../service.ts';

const detail = sessionDetail('Buckets');
const PASSWORD = { 403: `${PASSWORD_REQUIRED_RESPONSE}.` };

type ApiKeyRouteServices = { accounts: Accounts; buckets: Buckets };

/** Returns the calls for the API keys of a bucket. They need the owner's session, and no key is accepted. */
export const apiKeyRoutes = (services: ApiKeyRouteServices) => [
  primaryKeyRoutes(services),
  namedKeyRoutes(services),
];

function primaryKeyRoutes({ accounts, buckets }: ApiKeyRouteServices) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .get(
      '/buckets/api-key/:bucketID',
      async ({ session, params }) => {
        const { api_key } = await buckets.getWithKey(session.userId, params.bucketID);
        return { api_key };
      },
      {
        session: 'password',
        response: KeyResponse,
        ...detail('getApiKey', 'Get the API key', PASSWORD),
      },
    )
    .put(
      '/buckets/roll/api-key/:bucketID',
      async ({ session, params }) => ({
        api_key: await buckets.regenerateKey(session.userId, params.bucketID),
      }),
      {
        session: 'password',
        response: KeyResponse,
        ...detail(
          'regenerateApiKey',
          'Regenerate the API key; the old key and all tokens of the bucket are revoked',
          PASSWORD,
        ),
      },
    );
}

function namedKeyRoutes({ accounts, buckets: { apiKeys } }: ApiKeyRouteServices) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .get(
      '/buckets/api-keys/:bucketID',
      ({ session, params }) => apiKeys.list(session.userId, params.bucketID),
      {
        session: true,
        response: ApiKeyListResponse,
        ...detail('listApiKeys', 'List the API keys with their scope and last use'),
      },
    )
    .post(
      '/buckets/api-keys/:bucketID',
      async ({ session, params, body, status }) =>
        status(201, await apiKeys.create(session.userId, params.bucketID, body)),
      {
        session: 'password',
        body: CreateApiKeyBody,
        response: { 201: CreatedApiKeyResponse },
        ...detail('createApiKey', 'Create another API key, which is shown only once', {
          ...PASSWORD,
          409: 'The bucket has as many keys as it can have, or is being deleted.',
        }),
      },
    )
    .delete(
      '/buckets/api-keys/:bucketID/:keyID',
      async ({ session, params, set }) => {
        await apiKeys.delete(session.userId, params.bucketID, params.keyID);
        set.status = 204;
      },
      {
        session: true,
        ...detail('deleteApiKey', 'Delete an API key; it and its tokens are revoked', {
          204: 'Deleted.',
        }),
      },
    );
}
