import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  type PaymentServer,
  startPaymentServer,
} from '../../support/payments/in-process-payments.ts';
import { atCheckout, payer } from '../../support/payments/payment-fixture.ts';
import type { StripeSession } from '../../support/payments/stripe.ts';

let fixture: PaymentServer;
const YEAR = 365 * 24 * 60 * 60 * 1000;
const USD = 1_000_000;

beforeAll(async () => {
  fixture = await startPaymentServer();
});
afterAll(() => fixture.stop());

const completed = (session: StripeSession) =>
  fixture.stripe.event('checkout.session.completed', session);
const begin = (amount?: string) => atCheckout(fixture, amount);

test('a card payment is credited by the webhook, and listed', async () => {
  const { user, session, credit } = await begin('19.99');
  expect(session).toMatchObject({ amount_total: 1999, currency: 'usd' });
  expect(await credit()).toBe(0);
  const [pending] = (await user.payments()).data;
  expect(pending).toMatchObject({ status: 'pending', method: 'card', amount: 19.99, credited: 0 });
  const page = `${fixture.server.url}/billing/success?payment=${pending?.id}`;
  expect(session.success_url).toBe(page);
  // The provider's page is known only while something can be paid there.
  expect(pending?.checkout_url).toBe(session.url);
  fixture.stripe.pay(session);
  expect((await fixture.deliver(completed(session))).status).toBe(200);
  expect(await credit()).toBe(19.99 * USD);
  const [paid] = (await user.payments()).data;
  expect(paid).toMatchObject({ id: pending?.id, status: 'paid', credited: 19.99, refunded: 0 });
  expect(paid?.checkout_url).toBeNull();
});

test('a checkout that is requested twice with one key is one payment with one page, until it fails', async () => {
  const user = await payer(fixture.server);
  const headers = { ...user.authorization, 'idempotency-key': crypto.randomUUID() };
  for (const path of ['stripe', 'crypto']) {
    const key = { ...headers, 'idempotency-key': crypto.randomUUID() };
    const start = () =>
      fetch(`${fixture.server.url}/payments/${path}/checkout/25`, { method: 'POST', headers: key });
    const responses = await Promise.all([start(), start()]);
    responses.push(await start());
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    const pages = await Promise.all(responses.map((response) => response.text()));
    expect(new Set(pages).size).toBe(1);
  }
  expect((await user.payments()).data).toHaveLength(2);

  const start = (amount: string) =>
    fetch(`${fixture.server.url}/payments/crypto/checkout/${amount}`, { method: 'POST', headers });
  fixture.cryptomus.troubles.push({ status: 422, body: '{"state":1,"errors":{}}' });
  expect((await start('30')).status).toBe(502);
  expect((await start('30')).status).toBe(200);
  expect((await start('31')).status).toBe(409);
  expect((await user.payments()).data.map(({ status }) => status)).toEqual([
    'pending',
    'failed',
    'pending',
    'pending',
  ]);
});

test('a checkout of a payment that was paid is refused to a repetition of its request', async () => {
  const user = await payer(fixture.server);
  const headers = { ...user.authorization, 'idempotency-key': crypto.randomUUID() };
  const url = `${fixture.server.url}/payments/stripe/checkout/25`;
  const start = () => fetch(url, { method: 'POST', headers });
  const session = fixture.stripe.at((await (await start()).json()).url);
  fixture.stripe.pay(session);
  expect((await fixture.deliver(completed(session))).status).toBe(200);
  const repeated = await start();
  expect([repeated.status, await repeated.text()]).toEqual([
    409,
    'This payment has ended. Send a new Idempotency-Key to start another one.',
  ]);
  expect((await user.payments()).data.map(({ status }) => status)).toEqual(['paid']);
});

test('the return alone credits it too, and says what is still pending', async () => {
  const { user, session, credit } = await begin();
  expect(await (await user.back()).json()).toEqual({ pending: 1 });
  fixture.stripe.pay(session);
  expect(await (await user.back()).json()).toEqual({ pending: 0 });
  expect(await (await user.back()).json()).toEqual({ pending: 0 });
  expect(await credit()).toBe(20 * USD);
});

test('webhooks and returns at once, and each of them again, credit once', async () => {
  const { user, session, credit } = await begin();
  fixture.stripe.pay(session);
  const event = completed(session);
  const responses = await Promise.all([
    fixture.deliver(event),
    fixture.deliver(event),
    user.back(),
    fixture.deliver(completed(session)),
    user.back(),
    fixture.deliver(fixture.stripe.event('checkout.session.async_payment_succeeded', session)),
  ]);
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  expect(await credit()).toBe(20 * USD);
  expect((await fixture.deliver(event)).status).toBe(200);
  expect(await credit()).toBe(20 * USD);
});

test('a replay after a year is refused with its old signature, and credits nothing with a new one', async () => {
  const { session, credit } = await begin();
  fixture.stripe.pay(session);
  const body = completed(session);
  const at = Math.floor(fixture.clock.now / 1000);
  expect((await fixture.deliver(body, { at })).status).toBe(200);
  fixture.clock.now += YEAR;
  const stale = await fixture.deliver(body, { at });
  expect(stale.status).toBe(400);
  expect(stale.headers.get('x-error-code')).toBe('bad-signature');
  expect((await fixture.deliver(body)).status).toBe(200);
  fixture.clock.now -= YEAR;
  expect(await credit()).toBe(20 * USD);
});

test('a wrong signature, a stale one, none and a body that was cut or changed are refused', async () => {
  const { user, session, credit } = await begin();
  fixture.stripe.pay(session);
  const body = completed(session);
  const url = `${fixture.server.url}/payments/stripe/webhook`;
  const refused = await Promise.all([
    fixture.deliver(body, { secret: 'whsec_another' }),
    fixture.deliver(body, { at: Math.floor(fixture.clock.now / 1000) - 301 }),
    fixture.deliver(body, { sentBody: body.slice(0, -10) }),
    fixture.deliver(body, { sentBody: body.replace('2000', '9999') }),
    fixture.deliver(body, { sentBody: '' }),
    fetch(url, { method: 'POST', body }),
    fetch(url, { method: 'POST', body, headers: { 'stripe-signature': 'nonsense' } }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400));
  expect(await credit()).toBe(0);
  expect((await user.payments()).data[0]?.status).toBe('pending');
});

test('what was paid is believed of the provider alone: another amount or currency is owed back', async () => {
  for (const change of [{ amount_total: 100_000 }, { amount_total: 1 }, { currency: 'eur' }]) {
    const { user, session, credit } = await begin();
    fixture.stripe.pay(session, change);
    expect((await fixture.deliver(completed(session))).status).toBe(200);
    await user.back();
    expect(await credit()).toBe(0);
    const [payment] = (await user.payments()).data;
    expect(payment).toMatchObject({ status: 'failed', credited: 0, note: 'mismatch' });
    const row = await fixture.server.db
      .selectFrom('payments')
      .select('refund_due')
      .where('id', '=', payment?.id ?? '')
      .executeTakeFirstOrThrow();
    expect(row.refund_due).toBe(session.amount_total * 10_000);
  }
});

test("an event that claims what Stripe does not say, or names somebody else's payment, credits nothing", async () => {
  const mine = await begin('5');
  const theirs = await begin('500');
  // The webhook is signed but wrong: the session is still open.
  const claim = { ...mine.session, status: 'complete' as const, payment_status: 'paid' as const };
  expect((await fixture.deliver(completed(claim))).status).toBe(200);
  expect(await mine.credit()).toBe(0);
  // The session was paid, but names a payment that was not.
  fixture.stripe.pay(mine.session);
  const other = { ...mine.session, metadata: theirs.session.metadata };
  expect((await fixture.deliver(completed(other))).status).toBe(200);
  expect([await mine.credit(), await theirs.credit()]).toEqual([0, 0]);
  expect((await fixture.deliver(completed(mine.session))).status).toBe(200);
  expect([await mine.credit(), await theirs.credit()]).toEqual([5 * USD, 0]);
});

test('events of others on the same Stripe account, and of other kinds, are taken and ignored', async () => {
  const { session } = await begin();
  const foreign = [
    fixture.stripe.event('checkout.session.completed', { ...session, metadata: {} }),
    fixture.stripe.event('checkout.session.completed', {
      ...session,
      metadata: { payment: "' or 1" },
    }),
    fixture.stripe.event('customer.created', { id: 'cus_1' }),
    fixture.stripe.event('charge.refunded', { id: 'ch_1', payment_intent: 'pi_of_another_shop' }),
    fixture.stripe.event('charge.refunded', { id: 'ch_1', payment_intent: null }),
  ];
  for (const body of foreign) expect((await fixture.deliver(body)).status).toBe(200);
});

test('a session that expired, or whose payment failed later, is shown so; one that is paid after all is credited', async () => {
  const { user, session, credit } = await begin();
  session.status = 'expired';
  expect(
    (await fixture.deliver(fixture.stripe.event('checkout.session.expired', session))).status,
  ).toBe(200);
  expect((await user.payments()).data[0]?.status).toBe('expired');
  const slow = fixture.stripe.at(await user.card('7'));
  fixture.stripe.pay(slow, { payment_status: 'unpaid' });
  await fixture.deliver(completed(slow));
  expect((await user.payments()).data[0]?.status).toBe('pending');
  if (slow.payment_intent) slow.payment_intent.status = 'requires_payment_method';
  await fixture.deliver(fixture.stripe.event('checkout.session.async_payment_failed', slow));
  expect((await user.payments()).data[0]?.status).toBe('failed');
  expect(await credit()).toBe(0);
  // Earlier events that arrive late change nothing.
  await fixture.deliver(completed(slow));
  expect((await user.payments()).data[0]?.status).toBe('failed');
  fixture.stripe.pay(session);
  await fixture.deliver(completed(session));
  expect(await credit()).toBe(20 * USD);
});

test('a webhook whose provider does not answer is asked for again, and credits then', async () => {
  const { session, credit } = await begin();
  fixture.stripe.pay(session);
  fixture.stripe.troubles.push({ status: 503 }, { status: 503 });
  expect((await fixture.deliver(completed(session))).status).toBe(503);
  expect(await credit()).toBe(0);
  expect((await fixture.deliver(completed(session))).status).toBe(200);
  expect(await credit()).toBe(20 * USD);
});

test('housekeeping asks about what nobody told of, and gives up what can no longer be paid', async () => {
  const { user, session, credit } = await begin();
  const { payments } = fixture.server.services;
  fixture.stripe.pay(session);
  await payments.checkDue();
  await payments.checkDue();
  fixture.clock.now += 2 * 60_000;
  await payments.checkDue();
  expect(await credit()).toBe(20 * USD);
  await user.card('5');
  fixture.stripe.sessions.pop();
  fixture.clock.now += 26 * 60 * 60_000;
  await payments.checkDue();
  fixture.clock.now -= 26 * 60 * 60_000;
  expect((await user.payments()).data[0]?.status).toBe('expired');
});
