import { afterAll, beforeAll, expect, test } from 'bun:test';
import { requestCode } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import {
  type PaymentServer,
  startPaymentServer,
} from '../../support/payments/in-process-payments.ts';
import { creditOf, payer } from '../../support/payments/payment-fixture.ts';

let fixture: PaymentServer;
const USD = 1_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

beforeAll(async () => {
  fixture = await startPaymentServer();
});
afterAll(() => fixture.stop());

/** Returns a user with an invoice. A coin is worth half a dollar. */
async function withInvoice(amount = '20') {
  const user = await payer(fixture.server);
  const invoice = fixture.cryptomus.at(await user.crypto(amount));
  return {
    user,
    invoice,
    credit: () => creditOf(fixture.server, user.userId),
    deliverInvoice: async () =>
      (await fixture.cryptomus.deliver(fixture.server.url, invoice)).status,
    latest: async () => (await user.payments()).data[0],
  };
}

test('what a provider said earlier and is heard later undoes nothing that it said since', async () => {
  const user = await payer(fixture.server);
  const session = fixture.stripe.at(await user.card('20'));
  fixture.stripe.pay(session);
  await fixture.deliver(fixture.stripe.event('checkout.session.completed', session));
  const refund = fixture.stripe.refund(session, 2000, 'pending');
  // The provider is asked while the refund is pending, and answers after it has failed.
  fixture.stripe.keepNext('/v1/refunds');
  const delivery = fixture.deliver(fixture.stripe.event('refund.created', refund));
  await until(async () => fixture.stripe.waiting() === 1);
  await fixture.deliver(fixture.stripe.event('refund.updated', refund));
  refund.status = 'failed';
  await fixture.deliver(fixture.stripe.event('refund.failed', refund));
  expect(await creditOf(fixture.server, user.userId)).toBe(20 * USD);
  fixture.stripe.open();
  expect((await delivery).status).toBe(200);
  expect(await creditOf(fixture.server, user.userId)).toBe(20 * USD);
  expect((await user.payments()).data[0]).toMatchObject({ status: 'paid', refunded: 0 });
});

test('a refund that fails before its payment was credited leaves the payment, which is credited', async () => {
  const { invoice, credit, deliverInvoice, latest } = await withInvoice();
  fixture.cryptomus.pay(invoice, '40', '40', 'refund_process');
  await deliverInvoice();
  expect(await credit()).toBe(0);
  expect(await latest()).toMatchObject({ status: 'refunded', credited: 0 });
  fixture.cryptomus.pay(invoice, '40', '40', 'refund_fail');
  expect([await deliverInvoice(), await deliverInvoice()]).toEqual([200, 200]);
  expect(await credit()).toBe(20 * USD);
  expect(await latest()).toMatchObject({ status: 'paid', credited: 20, refunded: 0 });
});

test('nor does one that fails make more of what arrived than it was, whatever else was told of', async () => {
  for (const statuses of [
    ['wrong_amount', 'refund_process', 'refund_fail'],
    ['wrong_amount', 'refund_fail'],
    ['refund_fail'],
  ]) {
    const { invoice, credit, deliverInvoice, latest } = await withInvoice();
    for (const status of statuses) {
      fixture.cryptomus.pay(invoice, '40', '30', status);
      await deliverInvoice();
      expect([statuses, status, await credit()]).toEqual([statuses, status, 0]);
    }
    expect(await latest()).toMatchObject({ status: 'failed', note: 'short', credited: 0 });
  }
});

test('an amount that no number holds is owed back, and the history can still be read', async () => {
  const { user, invoice, credit, deliverInvoice } = await withInvoice();
  fixture.cryptomus.pay(invoice, '40', '40');
  invoice.amount = '999999999999';
  expect(await deliverInvoice()).toBe(200);
  expect(await credit()).toBe(0);
  const list = await user.call('GET', '/payments/user/');
  expect([list.status, await list.json()]).toMatchObject([
    200,
    { data: [{ status: 'failed', note: 'mismatch', credited: 0 }] },
  ]);
});

test('a payment about which the provider talks nonsense keeps no other from being asked about', async () => {
  const { payments } = fixture.server.services;
  const failing = await withInvoice();
  const good = await withInvoice();
  fixture.cryptomus.pay(good.invoice, '40', '40');
  Object.assign(failing.invoice, { uuid: null });
  fixture.clock.now += 2 * MINUTE;
  await payments.checkDue();
  await payments.checkDue();
  expect(await good.credit()).toBe(20 * USD);
  const before = fixture.cryptomus.calls.length;
  // No payment is due again right after that.
  await payments.checkDue();
  expect(fixture.cryptomus.calls.length).toBe(before);
});

test('an invoice that the provider has never heard of is given up', async () => {
  const { latest, invoice } = await withInvoice();
  fixture.cryptomus.invoices.splice(fixture.cryptomus.invoices.indexOf(invoice), 1);
  fixture.clock.now += 3 * HOUR;
  await fixture.server.services.payments.checkDue();
  await fixture.server.services.payments.checkDue();
  expect((await latest())?.status).toBe('expired');
});

test('an invoice that has ended is asked about daily for two weeks, and credited if it is paid then', async () => {
  const { payments } = fixture.server.services;
  const start = fixture.clock.now;
  /** Returns how often the provider is asked about an invoice in so many days. */
  const asksIn = async (days: number, orderId: string) => {
    fixture.cryptomus.calls.length = 0;
    for (let hour = 0; hour < days * 24; hour += 1) {
      fixture.clock.now += HOUR;
      await payments.checkDue();
    }
    return fixture.cryptomus.calls.filter(({ body }) => body.includes(orderId)).length;
  };
  const [expired, failed, short] = [await withInvoice(), await withInvoice(), await withInvoice()];
  Object.assign(expired.invoice, { status: 'cancel', payment_status: 'cancel' });
  Object.assign(failed.invoice, { status: 'fail', payment_status: 'fail' });
  fixture.cryptomus.pay(short.invoice, '40', '30', 'wrong_amount');
  for (const { deliverInvoice } of [expired, failed, short]) await deliverInvoice();
  expect((await short.latest())?.note).toBe('short');
  expect(await asksIn(3, expired.invoice.order_id)).toBe(3);
  for (const { invoice } of [expired, failed, short]) fixture.cryptomus.pay(invoice, '40', '40');
  await asksIn(1, '');
  for (const { credit } of [expired, failed, short]) expect(await credit()).toBe(20 * USD);
  expect(await asksIn(2, expired.invoice.order_id)).toBe(0);

  const never = await withInvoice();
  Object.assign(never.invoice, { status: 'cancel', payment_status: 'cancel' });
  await never.deliverInvoice();
  expect(await asksIn(13, never.invoice.order_id)).toBe(13);
  expect(await asksIn(5, never.invoice.order_id)).toBe(1);
  fixture.clock.now = start;
});

test('deleting an account closes its payment pages, and goes on where Stripe does not answer', async () => {
  const { db } = fixture.server;
  for (const trouble of [false, true]) {
    const user = await payer(fixture.server);
    const session = fixture.stripe.at(await user.card('20'));
    const token = await requestCode(fixture.server, user, 'delete-account');
    if (trouble) fixture.stripe.troubles.push({ status: 503 }, { status: 503 });
    const response = await user.client.fetch('/users', {
      method: 'DELETE',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    expect(response.status).toBe(204);
    const users = db.selectFrom('users').select('id').where('id', '=', user.userId);
    await until(async () => (await users.execute()).length === 0);
    expect(session.status).toBe(trouble ? 'open' : 'expired');
  }
});

test('who comes back from having paid is not told that nothing was charged', async () => {
  const user = await payer(fixture.server);
  const session = fixture.stripe.at(await user.card('20'));
  fixture.stripe.pay(session);
  for (const trouble of [{ status: 503 }, { status: 401 }]) {
    fixture.stripe.troubles.push(trouble, trouble);
    const response = await user.back();
    expect(response.status).toBeGreaterThanOrEqual(502);
    expect(await response.text()).not.toContain('Nothing was charged');
    fixture.stripe.troubles.splice(0);
  }
});

test('a payment that can not be asked about keeps who comes back from none of the others', async () => {
  const user = await payer(fixture.server);
  const sessions = [
    fixture.stripe.at(await user.card('20')),
    fixture.stripe.at(await user.card('30')),
  ];
  for (const session of sessions) fixture.stripe.pay(session);
  fixture.stripe.troubles.push({ status: 400 });
  const response = await user.back();
  expect([response.status, await response.json()]).toEqual([200, { pending: 1 }]);
  expect(await creditOf(fixture.server, user.userId)).toBe(20 * USD);
});

test('nobody begins more than thirty payments in an hour, however many at once', async () => {
  const user = await payer(fixture.server);
  const responses = await Promise.all(
    Array.from({ length: 40 }, () => user.call('POST', '/payments/crypto/checkout/5')),
  );
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(30);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(10);
});
