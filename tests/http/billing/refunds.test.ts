import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { AdminLedgerWire, AdminPaymentWire, Page } from '../../../server/contract/wire.ts';
import { post } from '../../../server/features/billing/service.ts';
import { signUp, type TestUser } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import {
  type PaymentServer,
  startPaymentServer,
} from '../../support/payments/in-process-payments.ts';
import { atCheckout, creditOf, payer } from '../../support/payments/payment-fixture.ts';

let fixture: PaymentServer;
let admin: TestUser;
const USD = 1_000_000;
const ADMIN = 'admin@example.com';

beforeAll(async () => {
  fixture = await startPaymentServer({ ADMIN_EMAIL: ADMIN });
  admin = await signUp(fixture.server, ADMIN);
});
afterAll(() => fixture.stop());

/** Returns a user with a payment of $20 that was credited. */
async function paid() {
  const { user, session, credit } = await atCheckout(fixture);
  fixture.stripe.pay(session);
  await fixture.deliver(fixture.stripe.event('checkout.session.completed', session));
  const payment = (await user.payments()).data[0]?.id ?? '';
  return { user, session, credit, payment };
}

const send = (payment: string, form: object, as = admin.authorization) =>
  fetch(`${fixture.server.url}/admin/payments/${payment}/refund`, {
    method: 'POST',
    headers: { ...as, 'content-type': 'application/json' },
    body: JSON.stringify({
      usd: 5,
      reason: 'Asked for it',
      by: 'provider',
      id: crypto.randomUUID(),
      ...form,
    }),
  });
const refunded = async (response: Response) => {
  expect(response.status).toBe(200);
  return (await response.json()) as AdminPaymentWire;
};
const refusedWith = async (response: Response, status: number, code: string) => {
  expect([response.status, response.headers.get('x-error-code')]).toEqual([status, code]);
  return response.text();
};
const ofUser = async <Row>(user: TestUser, what: 'payments' | 'ledger', query = '') => {
  const url = `${fixture.server.url}/admin/users/${user.userId}/${what}${query}`;
  return (await (await fetch(url, { headers: admin.authorization })).json()) as Page<Row>;
};
const refundsAtStripe = () =>
  fixture.stripe.calls.filter(({ method, path }) => method === 'POST' && path === '/v1/refunds')
    .length;

test('a part is refunded at the provider and taken from the balance, once', async () => {
  const { user, session, credit, payment } = await paid();
  const id = crypto.randomUUID();
  const first = await refunded(await send(payment, { id }));
  expect(first).toMatchObject({
    status: 'paid',
    credited: 20,
    refunded: 5,
    reference: session.payment_intent?.id,
    checkout: session.id,
  });
  expect(await credit()).toBe(15 * USD);
  expect(await refunded(await send(payment, { id }))).toMatchObject({ refunded: 5 });
  expect(await credit()).toBe(15 * USD);
  await refusedWith(await send(payment, { id, usd: 6 }), 409, 'conflict');

  expect(await refunded(await send(payment, { usd: 15 }))).toMatchObject({ status: 'refunded' });
  expect(await credit()).toBe(0);
  const { data } = await ofUser<AdminLedgerWire>(user, 'ledger');
  expect(
    data.map(({ kind, amount, balance, payment }) => [kind, amount, balance, payment]),
  ).toEqual([
    ['refund', -15, 0, payment],
    ['refund', -5, 15, payment],
    ['payment', 20, 20, payment],
  ]);
  const page = await ofUser<AdminLedgerWire>(user, 'ledger', '?limit=2');
  expect(page.data).toEqual(data.slice(0, 2));
  const last = await ofUser<AdminLedgerWire>(user, 'ledger', `?cursor=${page.nextId}`);
  expect(last).toEqual({ data: data.slice(2), nextId: null });
  expect((await ofUser<AdminPaymentWire>(user, 'payments')).data).toMatchObject([
    { id: payment, refunded: 20, reference: session.payment_intent?.id },
  ]);
});

test('what was given back otherwise is taken from the balance, and no provider is asked', async () => {
  const { user, credit, payment } = await paid();
  const before = fixture.stripe.calls.length;
  const id = crypto.randomUUID();
  for (let n = 0; n < 2; n += 1) {
    expect(await refunded(await send(payment, { id, by: 'other' }))).toMatchObject({ refunded: 5 });
  }
  expect(fixture.stripe.calls).toHaveLength(before);
  expect(await credit()).toBe(15 * USD);
  // The provider, which does not know of it, undoes nothing when it is asked.
  await refunded(await send(payment, { usd: 15 }));
  expect(await credit()).toBe(0);
  expect((await user.payments()).data[0]).toMatchObject({ status: 'refunded', refunded: 20 });
});

test('not more is refunded than is left of the payment, what its account has paid, and what it has not spent', async () => {
  const { user, session, credit, payment } = await paid();
  const { database } = fixture.server.services;
  expect(await refusedWith(await send(payment, { usd: 20.01 }), 422, 'invalid')).toContain(
    '$20.00',
  );
  // A refund that was made at the provider, and of which no webhook told.
  fixture.stripe.refund(session, 400);
  expect(await refusedWith(await send(payment, { usd: 17 }), 422, 'invalid')).toContain('$16.00');
  const entry = { userId: user.userId, at: fixture.clock.now };
  await database.transaction(async (tx) => {
    await post(tx, { ...entry, kind: 'grant', amount: 3 * USD, ref: `test:g:${payment}` });
    await post(tx, { ...entry, kind: 'charge', amount: -7 * USD, ref: `test:c:${payment}` });
  });
  // The grant paid for a part of the charge.
  expect(await refusedWith(await send(payment, { usd: 12.01 }), 422, 'invalid')).toContain(
    '$12.00',
  );
  await refunded(await send(payment, { usd: 12 }));
  expect(await credit()).toBe(0);
  await refusedWith(await send(payment, { usd: 0.01, by: 'other' }), 422, 'invalid');
});

test('of two refunds at a time that are too much together, one is made', async () => {
  const { credit, payment } = await paid();
  const responses = await Promise.all([send(payment, { usd: 15 }), send(payment, { usd: 15 })]);
  expect(responses.map(({ status }) => status).sort()).toSatisfy(
    ([first, second]) => first === 200 && (second === 422 || second === 503),
  );
  expect(await credit()).toBe(5 * USD);
});

test('a provider that refuses leaves the balance, and the refund can be sent again', async () => {
  const { credit, payment } = await paid();
  const id = crypto.randomUUID();
  const refusal = { status: 402, body: JSON.stringify({ error: { type: 'card_error' } }) };
  fixture.stripe.failNext('POST /v1/refunds', refusal);
  await refusedWith(await send(payment, { id }), 502, 'provider-failed');
  expect(await credit()).toBe(20 * USD);
  await refunded(await send(payment, { id }));
  expect(await credit()).toBe(15 * USD);
});

test('a provider that fails after it has refunded is asked for the same refund again', async () => {
  const { credit, payment } = await paid();
  const id = crypto.randomUUID();
  // The client of Stripe tries once more by itself.
  fixture.stripe.failNext('POST /v1/refunds', 'reset', 'reset');
  await refusedWith(await send(payment, { id }), 503, 'unavailable');
  const after = refundsAtStripe();
  expect(await refunded(await send(payment, { id }))).toMatchObject({ refunded: 5 });
  expect(refundsAtStripe()).toBe(after + 1);
  expect(await credit()).toBe(15 * USD);
});

test('a refund that the provider is still making is asked for again, not made twice', async () => {
  const { credit, payment } = await paid();
  const id = crypto.randomUUID();
  const inProgress = {
    status: 409,
    body: JSON.stringify({
      error: { type: 'idempotency_error', code: 'idempotency_key_in_use' },
    }),
  };
  fixture.stripe.failNext('POST /v1/refunds', 'reset', inProgress);
  await refusedWith(await send(payment, { id }), 503, 'unavailable');
  expect(await refunded(await send(payment, { id }))).toMatchObject({ refunded: 5 });
  expect(await credit()).toBe(15 * USD);
});

test('a refund that is sent again a day later is refused', async () => {
  const { credit, payment } = await paid();
  const id = crypto.randomUUID();
  await refunded(await send(payment, { id }));
  fixture.clock.now += 23.5 * 3_600_000;
  await refusedWith(await send(payment, { id }), 409, 'conflict');
  expect(await credit()).toBe(15 * USD);
});

test('a crypto payment is refunded otherwise only', async () => {
  const user = await payer(fixture.server);
  const invoice = fixture.cryptomus.at(await user.crypto('20'));
  fixture.cryptomus.pay(invoice, '40', '40', 'paid');
  await fixture.cryptomus.deliver(fixture.server.url, invoice);
  const payment = (await user.payments()).data[0]?.id ?? '';
  await refusedWith(await send(payment, {}), 409, 'conflict');
  expect(await refunded(await send(payment, { by: 'other' }))).toMatchObject({ refunded: 5 });
  expect(await creditOf(fixture.server, user.userId)).toBe(15 * USD);
});

test.each([
  [{ usd: 0 }, 'usd must be'],
  [{ usd: -5 }, 'usd must be'],
  [{ usd: 1.001 }, 'usd must be'],
  [{ usd: 10_001 }, 'usd must be'],
  [{ usd: 'all' }, 'usd must be'],
  [{ reason: '' }, 'reason must have'],
  [{ reason: 'x'.repeat(201) }, 'reason must have'],
  [{ by: 'stripe' }, 'by must be'],
  [{ id: 'again' }, 'id must be'],
])('%p is refused', async (form, text) => {
  const { credit, payment } = await paid();
  expect(await refusedWith(await send(payment, form), 422, 'invalid')).toContain(text);
  expect(await credit()).toBe(20 * USD);
});

test('nobody but the admin refunds, and no payment that was not credited', async () => {
  const { user, session, credit } = await atCheckout(fixture);
  const pending = (await user.payments()).data[0]?.id ?? '';
  await refusedWith(await send(pending, {}), 409, 'conflict');
  fixture.stripe.pay(session);
  await fixture.deliver(fixture.stripe.event('checkout.session.completed', session));
  expect((await send(pending, {}, user.authorization)).status).toBe(403);
  expect((await send(pending, {}, {} as never)).status).toBe(401);
  await refusedWith(await send('01jjjjjjjjjjjjjjjjjjjjjjjj', {}), 404, 'not-found');
  expect(await credit()).toBe(20 * USD);
});

test('the overview says what all accounts have left, and what is not charged yet', async () => {
  const overview = async () => {
    const response = await fetch(`${fixture.server.url}/admin/overview`, {
      headers: admin.authorization,
    });
    return ((await response.json()) as { credit: Record<string, number> }).credit;
  };
  const before = await overview();
  const { payment } = await paid();
  const after = await overview();
  expect(after.outstanding).toBeCloseTo((before.outstanding ?? 0) + 20, 6);
  expect(after.paid).toBeCloseTo((before.paid ?? 0) + 20, 6);
  await refunded(await send(payment, { usd: 8 }));
  await until(
    async () => Math.abs(((await overview()).paid ?? 0) - (before.paid ?? 0) - 12) < 1e-6,
  );
});
