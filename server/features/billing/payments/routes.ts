import { Elysia } from 'elysia';
import {
  CardCheckoutResponse,
  CryptoCheckoutResponse,
  PaymentListQuery,
  PaymentPageResponse,
  UpdateResponse,
  WebhookResponse,
} from '../../../contract/schemas/billing.ts';
import { IdempotencyHeaders } from '../../../contract/schemas/fields.ts';
import { sessionDetail } from '../../../web/http/openapi-responses.ts';
import { sessionGuard } from '../../accounts/guard.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { Payments } from './service.ts';

const detail = sessionDetail('Payments');
/** Describes a webhook, whose signature is its only credential. */
const signed = (operationId: string, summary: string, description: string) => ({
  detail: { operationId, summary, description, tags: ['Payments'], security: [] },
});

/** Returns the list of payments, the checkouts, and the webhooks of the providers. */
export const paymentRoutes = (services: { accounts: Accounts; payments: Payments }) => [
  checkoutRoutes(services),
  webhookRoutes(services.payments),
];

function checkoutRoutes({ accounts, payments }: { accounts: Accounts; payments: Payments }) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .get('/payments/user/', ({ session, query }) => payments.list(session.userId, query), {
      session: true,
      query: PaymentListQuery,
      response: PaymentPageResponse,
      ...detail('listPayments', 'List payments, newest first'),
    })
    .post(
      '/payments/stripe/checkout/:amount',
      async ({ session, params, headers }) => ({
        url: await payments.checkout(session, 'stripe', params.amount, headers['idempotency-key']),
      }),
      {
        session: true,
        headers: IdempotencyHeaders,
        response: CardCheckoutResponse,
        ...detail('createCardCheckout', 'Start a card payment of this amount in USD, 5 to 10000'),
      },
    )
    .get(
      '/payments/stripe/update',
      async ({ session }) => ({ pending: await payments.refresh(session.userId) }),
      {
        session: true,
        response: UpdateResponse,
        ...detail('updatePendingPayments', 'Update pending card payments from Stripe'),
      },
    )
    .post(
      '/payments/crypto/checkout/:amount',
      async ({ session, params, headers }) => ({
        result: {
          url: await payments.checkout(
            session,
            'cryptomus',
            params.amount,
            headers['idempotency-key'],
          ),
        },
      }),
      {
        session: true,
        headers: IdempotencyHeaders,
        response: CryptoCheckoutResponse,
        ...detail(
          'createCryptoCheckout',
          'Start a crypto payment of this amount in USD, 5 to 10000',
        ),
      },
    );
}

function webhookRoutes(payments: Payments) {
  return new Elysia()
    .post(
      '/payments/stripe/webhook',
      async ({ request }) => {
        await payments.handleWebhook('stripe', await request.text(), request.headers);
        return { received: true };
      },
      {
        parse: 'none',
        response: WebhookResponse,
        ...signed(
          'receiveStripeWebhook',
          'Receive Stripe webhooks',
          'Stripe-Signature must match the exact bytes of the body.',
        ),
      },
    )
    .post(
      '/payments/crypto/webhook',
      async ({ request }) => {
        await payments.handleWebhook('cryptomus', await request.text(), request.headers);
        return { received: true };
      },
      {
        parse: 'none',
        response: WebhookResponse,
        ...signed(
          'receiveCryptomusWebhook',
          'Receive Cryptomus webhooks',
          'The signature is the sign field of the JSON body.',
        ),
      },
    );
}
