import { Elysia } from 'elysia';
import { IdempotencyHeaders } from '../../../contract/schemas/fields.ts';
import {
  ReplayedWebhookAttemptsResponse,
  ReplayWebhookAttemptsBody,
  WebhookAttemptDetailResponse,
  WebhookAttemptListQuery,
  WebhookAttemptPageResponse,
  WebhookAttemptResponse,
  WebhookSecretResponse,
} from '../../../contract/schemas/webhooks.ts';
import { sessionDetail } from '../../../web/http/openapi-responses.ts';
import { sessionGuard } from '../../accounts/guard.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { Webhooks } from './webhooks.ts';

const detail = sessionDetail('Webhooks');

const LIST_DETAIL = detail(
  'listWebhookAttempts',
  'List the events of the last seven days with their last attempt, newest first',
);
const ROTATE_DETAIL = detail(
  'rotateWebhookSecret',
  'Rotate the signing secret; for 24 hours deliveries carry both signatures',
);

const REPLAY_DETAIL = detail(
  'replayWebhookAttempts',
  'Send events again that match, but for tests',
  { 409: 'The webhook is disabled.' },
);

type WebhookRouteServices = { accounts: Accounts; webhooks: Webhooks };

/**
 * Returns the calls for a bucket's webhook. They need the owner's session; an API key is not
 * accepted.
 */
export const webhookRoutes = (services: WebhookRouteServices) => [
  secretRoutes(services),
  attemptRoutes(services),
  sendRoutes(services),
];

function secretRoutes({ accounts, webhooks }: WebhookRouteServices) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .get(
      '/buckets/webhook/secret/:bucketID',
      async ({ session, params }) => ({
        secret: await webhooks.secret(session.userId, params.bucketID),
      }),
      {
        session: true,
        response: WebhookSecretResponse,
        ...detail('getWebhookSecret', 'Get the signing secret'),
      },
    )
    .put(
      '/buckets/roll/webhook-secret/:bucketID',
      async ({ session, params }) => ({
        secret: await webhooks.rotateSecret(session.userId, params.bucketID),
      }),
      {
        session: true,
        response: WebhookSecretResponse,
        ...ROTATE_DETAIL,
      },
    );
}

function attemptRoutes({ accounts, webhooks }: WebhookRouteServices) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .get(
      '/buckets/webhook/attempts/:bucketID',
      ({ session, params, query }) => webhooks.deliveries(session.userId, params.bucketID, query),
      {
        session: true,
        query: WebhookAttemptListQuery,
        response: WebhookAttemptPageResponse,
        ...LIST_DETAIL,
      },
    )
    .get(
      '/buckets/webhook/attempts/:bucketID/:attemptID',
      ({ session, params }) => webhooks.attempt(session.userId, params.bucketID, params.attemptID),
      {
        session: true,
        response: WebhookAttemptDetailResponse,
        ...detail(
          'getWebhookAttempt',
          'Get an event with its payload, and with what its last attempt sent',
        ),
      },
    );
}

function sendRoutes({ accounts, webhooks }: WebhookRouteServices) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .post(
      '/buckets/webhook/replay/:bucketID',
      async ({ session, params, body, status }) =>
        status(202, await webhooks.replayAll(session.userId, params.bucketID, body)),
      {
        session: true,
        body: ReplayWebhookAttemptsBody,
        response: { 202: ReplayedWebhookAttemptsResponse },
        ...REPLAY_DETAIL,
      },
    )
    .post(
      '/buckets/webhook/replay/:bucketID/:attemptID',
      async ({ session, params, status }) =>
        status(202, await webhooks.replay(session.userId, params.bucketID, params.attemptID)),
      {
        session: true,
        response: { 202: WebhookAttemptResponse },
        ...detail('replayWebhookAttempt', 'Send an event again with the same webhook-id'),
      },
    )
    .post(
      '/buckets/webhook/test/:bucketID',
      async ({ session, params, headers, status }) => {
        const key = headers['idempotency-key'];
        return status(202, await webhooks.test(session.userId, params.bucketID, key));
      },
      {
        session: true,
        headers: IdempotencyHeaders,
        response: { 202: WebhookAttemptResponse },
        ...detail('sendTestWebhook', 'Send a test event and return the response'),
      },
    );
}
