import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { AdminOwedWire, Page } from '../../../server/contract/wire.ts';
import { post } from '../../../server/features/billing/service.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import { atCheckout, payer, startHouse } from '../../support/payments/house.ts';
import type { StripeSession } from '../../support/payments/stripe.ts';
import {
  type InProcessServer,
  startServerInProcess,
} from '../../support/server/in-process-server.ts';

type House = Awaited<ReturnType<typeof startHouse<InProcessServer>>>;
let house: House;
let now = Date.now();
const USD = 1_000_000;
const ADMIN = 'admin@example.com';

beforeAll(async () => {
  // The clock advances with every call, so that ids of one test sort in the order of their creation.
  house = await startHouse((env) =>
    startServerInProcess({ ...env, ADMIN_EMAIL: ADMIN }, { clock: () => ++now }),
  );
});
afterAll(() => house.stop());

const completed = (session: StripeSession) =>
  house.stripe.event('checkout.session.completed', session);
const deliver = (body: string) =>
  house.stripe.deliver(house.server.url, body, { at: Math.floor(now / 1000) });
const begin = (amount?: string) => atCheckout(house, amount);

test('refunds in parts are taken once each, and one that fails comes back', async () => {
  const { user, session, credit } = await begin();
  house.stripe.pay(session);
  await deliver(completed(session));
  const first = house.stripe.refund(session, 500);
  const told = house.stripe.event('refund.created', first);
  await Promise.all([deliver(told), deliver(told)]);
  await deliver(house.stripe.event('charge.refunded', { ...first, id: 'ch_1', object: 'charge' }));
  expect(await credit()).toBe(15 * USD);
  expect((await user.payments()).data[0]).toMatchObject({ status: 'paid', refunded: 5 });
  const second = house.stripe.refund(session, 1500, 'pending');
  await deliver(house.stripe.event('refund.created', second));
  expect(await credit()).toBe(0);
  expect((await user.payments()).data[0]).toMatchObject({ status: 'refunded', refunded: 20 });
  second.status = 'failed';
  await deliver(house.stripe.event('refund.failed', second));
  await deliver(house.stripe.event('refund.failed', second));
  expect(await credit()).toBe(15 * USD);
  expect((await user.payments()).data[0]).toMatchObject({ status: 'paid', refunded: 5 });
});

test('a dispute debits, a won one credits back, an inquiry does neither; together they never take more than was paid', async () => {
  const { session, credit } = await begin();
  house.stripe.pay(session);
  await deliver(completed(session));
  const dispute = house.stripe.dispute(session, 2000, 'warning_needs_response');
  const tell = (type: string) => deliver(house.stripe.event(type, dispute));
  await tell('charge.dispute.created');
  expect(await credit()).toBe(20 * USD);
  dispute.status = 'needs_response';
  await tell('charge.dispute.funds_withdrawn');
  await tell('charge.dispute.created');
  expect(await credit()).toBe(0);
  // With a refund and a dispute of one payment, the money is deducted only once.
  await deliver(house.stripe.event('refund.created', house.stripe.refund(session, 500)));
  expect(await credit()).toBe(0);
  dispute.status = 'won';
  await tell('charge.dispute.closed');
  await tell('charge.dispute.funds_reinstated');
  expect(await credit()).toBe(15 * USD);
  await deliver(
    house.stripe.event('charge.dispute.closed', house.stripe.dispute(session, 700, 'lost')),
  );
  expect(await credit()).toBe(8 * USD);
});

test('a refund that is told of before the payment leaves nothing, in whatever order they come', async () => {
  const { user, session, credit } = await begin();
  house.stripe.pay(session);
  const late = completed(session);
  const refund = house.stripe.refund(session, 2000);
  await deliver(house.stripe.event('refund.created', refund));
  await deliver(late);
  await user.back();
  expect(await credit()).toBe(0);
  expect((await user.payments()).data[0]).toMatchObject({ status: 'refunded', refunded: 20 });
});

test('a payment of an account that is gone is recorded for a refund and credited to nobody', async () => {
  const { user, session, credit } = await begin();
  const { db } = house.server;
  house.stripe.pay(session);
  await db.updateTable('users').set({ status: 'deleting' }).where('id', '=', user.userId).execute();
  expect((await deliver(completed(session))).status).toBe(200);
  expect(await credit()).toBe(0);
  const row = () =>
    db.selectFrom('payments').selectAll().where('user_id', '=', user.userId).executeTakeFirst();
  expect(await row()).toMatchObject({ status: 'paid', credited: 0, refund_due: 20 * USD });
  await deliver(house.stripe.event('refund.created', house.stripe.refund(session, 2000)));
  expect(await row()).toMatchObject({ status: 'refunded', refund_due: 0 });
  expect(await credit()).toBe(0);
});

test('a payment makes the buckets of an account that was below zero run again at once', async () => {
  const { user, session } = await begin();
  const { id } = await createBucket(house.server, user.token);
  const { billing, database } = house.server.services;
  const status = async () => {
    const response = await fetch(`${house.server.url}/buckets/${id}`, {
      headers: user.authorization,
    });
    return ((await response.json()) as { status: string }).status;
  };
  const charge = { kind: 'charge', amount: -USD, ref: `test:${id}`, at: now } as const;
  await database.transaction((tx) => post(tx, { userId: user.userId, ...charge }));
  await billing.review(user.userId);
  expect(await status()).toBe('suspended');
  house.stripe.pay(session);
  await deliver(completed(session));
  expect(await status()).toBe('running');
  await deliver(house.stripe.event('refund.created', house.stripe.refund(session, 2000)));
  expect(await status()).toBe('suspended');
});

test('what is owed back is listed for the admin until the provider says that it went back', async () => {
  const { authorization } = await signUp(house.server, ADMIN);
  const owed = async (query = '') => {
    const url = `${house.server.url}/admin/payments/owed${query}`;
    return (await (await fetch(url, { headers: authorization })).json()) as Page<AdminOwedWire>;
  };
  const { db } = house.server;
  await db.updateTable('payments').set({ refund_due: 0 }).execute();
  expect(await owed()).toEqual({ data: [], nextId: null });

  const { user, session } = await begin();
  house.stripe.pay(session, { currency: 'eur' });
  await deliver(completed(session));
  const later = await payer(house.server);
  const invoice = house.cryptomus.at(await later.crypto('20'));
  house.cryptomus.pay(invoice, '40', '30', 'wrong_amount');
  await house.cryptomus.deliver(house.server.url, invoice);
  const { data } = await owed();
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
  expect(await owed(`?limit=1&cursor=${data[0]?.id}`)).toEqual({
    data: [expect.objectContaining({ id: data[1]?.id })],
    nextId: null,
  });

  await deliver(house.stripe.event('refund.created', house.stripe.refund(session, 500)));
  expect((await owed()).data.map((one) => one.owed)).toEqual([15, 15]);
  await deliver(house.stripe.event('refund.created', house.stripe.refund(session, 1500)));
  house.cryptomus.pay(invoice, '40', '30', 'refund_paid');
  await house.cryptomus.deliver(house.server.url, invoice);
  expect(await owed()).toEqual({ data: [], nextId: null });
});
