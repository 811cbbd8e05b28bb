import { Elysia } from 'elysia';
import {
  CreatedS3KeyResponse,
  CreateS3KeyBody,
  S3KeyListResponse,
} from '../../../contract/schemas/s3-keys.ts';
import { PASSWORD_REQUIRED_RESPONSE, sessionDetail } from '../../../web/http/openapi-responses.ts';
import { sessionGuard } from '../../accounts/guard.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { S3Keys } from './service.ts';

const detail = sessionDetail('S3');

type Services = { accounts: Accounts; s3Keys: S3Keys };

/** Mounts the calls for the access keys of the S3 API. They need a session, and no key is accepted. */
export function s3KeyRoutes({ accounts, s3Keys }: Services) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .get('/s3-keys', ({ session }) => s3Keys.list(session.userId), {
      session: true,
      response: S3KeyListResponse,
      ...detail('listAccessKeys', 'List the S3 access keys of the account with their last use'),
    })
    .post(
      '/s3-keys',
      async ({ session, body, status }) => status(201, await s3Keys.create(session.userId, body)),
      {
        session: 'password',
        body: CreateS3KeyBody,
        response: { 201: CreatedS3KeyResponse },
        ...detail('createAccessKey', 'Create an S3 access key, whose secret is shown only once', {
          403: `${PASSWORD_REQUIRED_RESPONSE}.`,
          404: 'A bucket was not found.',
          409: 'The account has as many keys as it can have, or the S3 API is off.',
        }),
      },
    )
    .delete(
      '/s3-keys/:keyID',
      async ({ session, params, set }) => {
        await s3Keys.delete(session.userId, params.keyID);
        set.status = 204;
      },
      {
        session: true,
        ...detail('deleteAccessKey', 'Delete an S3 access key, which opens nothing from then on', {
          204: 'Deleted.',
        }),
      },
    );
}
