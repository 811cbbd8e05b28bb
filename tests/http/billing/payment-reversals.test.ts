import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { AdminOwedWire, Page } from '../../../server/contract/wire.ts';
import { post } from '../../../server/features/billing/service.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import {
  type PaymentServer,
  startPaymentServer,
} from '../../support/payments/in-process-payments.ts';
import { atCheckout, payer } from '../../support/payments/payment-fixture.ts';
import type { StripeSession } from '../../support/payments/stripe.ts';

let fixture: PaymentServer;
const USD = 1_000_000;
const ADMIN = 'admin@example.com';

beforeAll(async () => {
  fixture = await startPaymentServer({ ADMIN_EMAIL: ADMIN });
});
afterAll(() => fixture.stop());

const completed = (session: StripeSession) =>
  fixture.stripe.event('checkout.session.completed', session);
const begin = (amount?: string) => atCheckout(fixture, amount);

test('refunds in parts are taken once each, and one that fails comes back', async () => {
  const { user, session, credit } = await begin();
  fixture.stripe.pay(session);
  await fixture.deliver(completed(session));
  const first = fixture.stripe.refund(session, 500);
  const event = fixture.stripe.event('refund.created', first);
  await Promise.all([fixture.deliver(event), fixture.deliver(event)]);
  await fixture.deliver(
    fixture.stripe.event('charge.refunded', { ...first, id: 'ch_1', object: 'charge' }),
  );
  expect(await credit()).toBe(15 * USD);
  expect((await user.payments()).data[0]).toMatchObject({ status: 'paid', refunded: 5 });
  const second = fixture.stripe.refund(session, 1500, 'pending');
  await fixture.deliver(fixture.stripe.event('refund.created', second));
  expect(await credit()).toBe(0);
  expect((await user.payments()).data[0]).toMatchObject({ status: 'refunded', refunded: 20 });
  second.status = 'failed';
  await fixture.deliver(fixture.stripe.event('refund.failed', second));
  await fixture.deliver(fixture.stripe.event('refund.failed', second));
  expect(await credit()).toBe(15 * USD);
  expect((await user.payments()).data[0]).toMatchObject({ status: 'paid', refunded: 5 });
});

test('a dispute debits, a won one credits back, an inquiry does neither; together they never take more than was paid', async () => {
  const { session, credit } = await begin();
  fixture.stripe.pay(session);
  await fixture.deliver(completed(session));
  const dispute = fixture.stripe.dispute(session, 2000, 'warning_needs_response');
  const deliverDispute = (type: string) => fixture.deliver(fixture.stripe.event(type, dispute));
  await deliverDispute('charge.dispute.created');
  expect(await credit()).toBe(20 * USD);
  dispute.status = 'needs_response';
  fixture.stripe.moveFunds(dispute, -2000);
  await deliverDispute('charge.dispute.funds_withdrawn');
  await deliverDispute('charge.dispute.created');
  expect(await credit()).toBe(0);
  // With a refund and a dispute of one payment, the money is deducted only once.
  await fixture.deliver(
    fixture.stripe.event('refund.created', fixture.stripe.refund(session, 500)),
  );
  expect(await credit()).toBe(0);
  dispute.status = 'won';
  await deliverDispute('charge.dispute.closed');
  expect(await credit()).toBe(0);
  fixture.stripe.moveFunds(dispute, 2000);
  await deliverDispute('charge.dispute.funds_reinstated');
  expect(await credit()).toBe(15 * USD);
  await fixture.deliver(
    fixture.stripe.event('charge.dispute.closed', fixture.stripe.dispute(session, 700, 'lost')),
  );
  expect(await credit()).toBe(8 * USD);
});

test('a dispute goes by the money that moved, whatever its status is called', async () => {
  const { session, credit } = await begin();
  fixture.stripe.pay(session);
  await fixture.deliver(completed(session));
  const dispute = fixture.stripe.dispute(session, 2000, 'prevented');
  const deliverDispute = () =>
    fixture.deliver(fixture.stripe.event('charge.dispute.updated', dispute));
  await deliverDispute();
  expect(await credit()).toBe(20 * USD);
  fixture.stripe.moveFunds(dispute, -2000);
  await deliverDispute();
  expect(await credit()).toBe(0);
  fixture.stripe.moveFunds(dispute, 500);
  await deliverDispute();
  expect(await credit()).toBe(5 * USD);
});

test('a dispute with a status that is unknown counts as taken', async () => {
  const { session, credit } = await begin();
  fixture.stripe.pay(session);
  await fixture.deliver(completed(session));
  const dispute = fixture.stripe.dispute(session, 2000, 'mediation');
  dispute.balance_transactions = [];
  await fixture.deliver(fixture.stripe.event('charge.dispute.created', dispute));
  expect(await credit()).toBe(0);
});

test('a refund that is told of before the payment leaves nothing, in whatever order they come', async () => {
  const { user, session, credit } = await begin();
  fixture.stripe.pay(session);
  const event = completed(session);
  const refund = fixture.stripe.refund(session, 2000);
  await fixture.deliver(fixture.stripe.event('refund.created', refund));
  await fixture.deliver(event);
  await user.back();
  expect(await credit()).toBe(0);
  expect((await user.payments()).data[0]).toMatchObject({ status: 'refunded', refunded: 20 });
});

test('a payment of an account that is gone is recorded for a refund and credited to nobody', async () => {
  const { user, session, credit } = await begin();
  const { db } = fixture.server;
  fixture.stripe.pay(session);
  await db.updateTable('users').set({ status: 'deleting' }).where('id', '=', user.userId).execute();
  expect((await fixture.deliver(completed(session))).status).toBe(200);
  expect(await credit()).toBe(0);
  const row = () =>
    db.selectFrom('payments').selectAll().where('user_id', '=', user.userId).executeTakeFirst();
  expect(await row()).toMatchObject({ status: 'paid', credited: 0, refund_due: 20 * USD });
  await fixture.deliver(
    fixture.stripe.event('refund.created', fixture.stripe.refund(session, 2000)),
  );
  expect(await row()).toMatchObject({ status: 'refunded', refund_due: 0 });
  expect(await credit()).toBe(0);
});

test('a payment makes the buckets of an account that was below zero run again at once', async () => {
  const { user, session } = await begin();
  const { id } = await createBucket(fixture.server, user.token);
  const { billing, database } = fixture.server.services;
  const status = async () => {
    const response = await fetch(`${fixture.server.url}/buckets/${id}`, {
      headers: user.authorization,
    });
    return ((await response.json()) as { status: string }).status;
  };
  const charge = {
    kind: 'charge',
    amount: -USD,
    ref: `test:${id}`,
    at: fixture.clock.now,
  } as const;
  await database.transaction((tx) => post(tx, { userId: user.userId, ...charge }));
  await billing.review(user.userId);
  expect(await status()).toBe('suspended');
  fixture.stripe.pay(session);
  await fixture.deliver(completed(session));
  expect(await status()).toBe('running');
  await fixture.deliver(
    fixture.stripe.event('refund.created', fixture.stripe.refund(session, 2000)),
  );
  expect(await status()).toBe('suspended');
});

test('what is owed back is listed for the admin until the provider says that it went back', async () => {
  const { authorization } = await signUp(fixture.server, ADMIN);
  const owedPayments = async (query = '') => {
    const url = `${fixture.server.url}/admin/payments/owed${query}`;
    return (await (await fetch(url, { headers: authorization })).json()) as Page<AdminOwedWire>;
  };
  const { db } = fixture.server;
  await db.updateTable('payments').set({ refund_due: 0 }).execute();
  expect(await owedPayments()).toEqual({ data: [], nextId: null });

  const { user, session } = await begin();
  fixture.stripe.pay(session, { currency: 'eur' });
  await fixture.deliver(completed(session));
  const later = await payer(fixture.server);
  const invoice = fixture.cryptomus.at(await later.crypto('20'));
  fixture.cryptomus.pay(invoice, '40', '30', 'wrong_amount');
  await fixture.cryptomus.deliver(fixture.server.url, invoice);
  const { data } = await owedPayments();
  expect(data).toMatchObject([
    { method: 'crypto', note: 'short', owed: 15, reference: invoice.uuid },
    {
      user: { id: user.userId, email: user.email },
      method: 'card',
      note: 'mismatch',
      owed: 20,
      reference: session.payment_intent?.id,
      checkout: session.id,
    },
  ]);
  expect(await owedPayments(`?limit=1&cursor=${data[0]?.id}`)).toEqual({
    data: [expect.objectContaining({ id: data[1]?.id })],
    nextId: null,
  });

  await fixture.deliver(
    fixture.stripe.event('refund.created', fixture.stripe.refund(session, 500)),
  );
  expect((await owedPayments()).data.map((one) => one.owed)).toEqual([15, 15]);
  await fixture.deliver(
    fixture.stripe.event('refund.created', fixture.stripe.refund(session, 1500)),
  );
  fixture.cryptomus.pay(invoice, '40', '30', 'refund_paid');
  await fixture.cryptomus.deliver(fixture.server.url, invoice);
  expect(await owedPayments()).toEqual({ data: [], nextId: null });
});
