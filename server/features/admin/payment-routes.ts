import { Elysia } from 'elysia';
import { isInCents, toMicroUsd } from '../../contract/money.ts';
import {
  AdminPaymentPageResponse,
  AdminPaymentResponse,
  LedgerPageResponse,
  OwedPageResponse,
  PlainListQuery,
  RefundBody,
} from '../../contract/schemas/admin.ts';
import { invalid } from '../../errors.ts';
import { type AdminRouteDeps, adminGuard, detail } from './guard.ts';

/** Mounts the calls about a user's payments and ledger, and about payments to refund. */
export function adminPaymentRoutes({ accounts, admin }: AdminRouteDeps) {
  return new Elysia()
    .use(adminGuard(accounts))
    .get(
      '/admin/users/:userID/payments',
      ({ params, query }) => admin.paymentsOf(params.userID, query),
      {
        admin: 'call',
        query: PlainListQuery,
        response: AdminPaymentPageResponse,
        ...detail('listUserPayments', "List a user's payments, newest first"),
      },
    )
    .get(
      '/admin/users/:userID/ledger',
      ({ params, query }) => admin.ledgerOf(params.userID, query),
      {
        admin: 'call',
        query: PlainListQuery,
        response: LedgerPageResponse,
        ...detail('listUserLedger', "List the entries of a user's ledger, newest first"),
      },
    )
    .post(
      '/admin/payments/:paymentID/refund',
      ({ admin: by, params, body }) => {
        const { usd, ...form } = body;
        if (!isInCents(usd)) {
          throw invalid('usd must be an amount above 0 with at most two decimals.');
        }
        const refund = { ...form, amount: toMicroUsd(usd) };
        return admin.actions.refundPayment(by, params.paymentID, refund);
      },
      {
        admin: 'call',
        body: RefundBody,
        response: AdminPaymentResponse,
        ...detail(
          'refundPayment',
          'Refund a payment or a part of it; idempotent by id for 24 hours',
        ),
      },
    )
    .get('/admin/payments/owed', ({ query }) => admin.owedPayments(query), {
      admin: 'call',
      query: PlainListQuery,
      response: OwedPageResponse,
      ...detail('listOwedPayments', 'List payments to refund, newest first'),
    });
}
