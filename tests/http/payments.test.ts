import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { TOP_UP_TEXTS } from '../../server/contract/top-up.ts';
import { post } from '../../server/features/billing/service.ts';
import { creditOf, payer, startHouse } from '../support/payments/house.ts';
import { STRIPE_KEY, type StripeSession } from '../support/payments/stripe.ts';
import { browser, makeBucket, signUp, startServer } from '../support/server.ts';

setDefaultTimeout(30_000);
type House = Awaited<ReturnType<typeof startHouse>>;
let house: House;
let now = Date.now();
const YEAR = 365 * 24 * 60 * 60 * 1000;
const USD = 1_000_000;

beforeAll(async () => {
  // It never stands still, so that ids of one test sort as they were made.
  house = await startHouse({ clock: () => ++now });
});
afterAll(() => house.stop());

const completed = (session: StripeSession) =>
  house.stripe.event('checkout.session.completed', session);
const deliver = (body: string, options: { at?: number; secret?: string; sent?: string } = {}) =>
  house.stripe.deliver(house.server.url, body, { at: Math.floor(now / 1000), ...options });

/** Somebody who is on Stripe's page for so many dollars. */
async function atCheckout(amount = '20') {
  const user = await payer(house.server);
  const session = house.stripe.at(await user.card(amount));
  const credit = () => creditOf(house.server, user.userId);
  return { user, session, credit };
}

test('a card payment is credited by the webhook, and listed', async () => {
  const { user, session, credit } = await atCheckout('19.99');
  expect(session).toMatchObject({ amount_total: 1999, currency: 'usd' });
  expect(session.success_url).toBe(`${house.server.url}/billing/success`);
  expect(await credit()).toBe(0);
  const [pending] = (await user.payments()).data;
  expect(pending).toMatchObject({ status: 'pending', method: 'card', amount: 19.99, credited: 0 });
  house.stripe.pay(session);
  expect((await deliver(completed(session))).status).toBe(200);
  expect(await credit()).toBe(19.99 * USD);
  const [paid] = (await user.payments()).data;
  expect(paid).toMatchObject({ id: pending?.id, status: 'paid', credited: 19.99, refunded: 0 });
});

test('the return alone credits it too, and says what is still pending', async () => {
  const { user, session, credit } = await atCheckout();
  expect(await (await user.back()).json()).toEqual({ pending: 1 });
  house.stripe.pay(session);
  expect(await (await user.back()).json()).toEqual({ pending: 0 });
  expect(await (await user.back()).json()).toEqual({ pending: 0 });
  expect(await credit()).toBe(20 * USD);
});

test('webhooks and returns at once, and each of them again, credit once', async () => {
  const { user, session, credit } = await atCheckout();
  house.stripe.pay(session);
  const again = completed(session);
  const answers = await Promise.all([
    deliver(again),
    deliver(again),
    user.back(),
    deliver(completed(session)),
    user.back(),
    deliver(house.stripe.event('checkout.session.async_payment_succeeded', session)),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(await credit()).toBe(20 * USD);
  expect((await deliver(again)).status).toBe(200);
  expect(await credit()).toBe(20 * USD);
});

test('a replay after a year is refused with its old signature, and credits nothing with a new one', async () => {
  const { session, credit } = await atCheckout();
  house.stripe.pay(session);
  const body = completed(session);
  const at = Math.floor(now / 1000);
  expect((await deliver(body, { at })).status).toBe(200);
  now += YEAR;
  const stale = await deliver(body, { at });
  expect(stale.status).toBe(400);
  expect(stale.headers.get('x-error-code')).toBe('bad-signature');
  expect((await deliver(body)).status).toBe(200);
  now -= YEAR;
  expect(await credit()).toBe(20 * USD);
});

test('a wrong signature, a stale one, none and a body that was cut or changed are refused', async () => {
  const { user, session, credit } = await atCheckout();
  house.stripe.pay(session);
  const body = completed(session);
  const url = `${house.server.url}/payments/stripe/webhook`;
  const refused = await Promise.all([
    deliver(body, { secret: 'whsec_another' }),
    deliver(body, { at: Math.floor(now / 1000) - 301 }),
    deliver(body, { sent: body.slice(0, -10) }),
    deliver(body, { sent: body.replace('2000', '9999') }),
    deliver(body, { sent: '' }),
    fetch(url, { method: 'POST', body }),
    fetch(url, { method: 'POST', body, headers: { 'stripe-signature': 'nonsense' } }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400));
  expect(await credit()).toBe(0);
  expect((await user.payments()).data[0]?.status).toBe('pending');
});

test('what was paid is believed of the provider alone: another amount or currency is owed back', async () => {
  for (const change of [{ amount_total: 100_000 }, { amount_total: 1 }, { currency: 'eur' }]) {
    const { user, session, credit } = await atCheckout();
    house.stripe.pay(session, change);
    expect((await deliver(completed(session))).status).toBe(200);
    await user.back();
    expect(await credit()).toBe(0);
    const [payment] = (await user.payments()).data;
    expect(payment).toMatchObject({ status: 'failed', credited: 0, note: 'mismatch' });
    const row = await house.server.services.database.db
      .selectFrom('payments')
      .select('refund_due')
      .where('id', '=', payment?.id ?? '')
      .executeTakeFirstOrThrow();
    expect(row.refund_due).toBe(session.amount_total * 10_000);
  }
});

test("an event that claims what Stripe does not say, or names somebody else's payment, credits nothing", async () => {
  const mine = await atCheckout('5');
  const theirs = await atCheckout('500');
  // Signed, and yet not so: the session is still open.
  const claim = { ...mine.session, status: 'complete' as const, payment_status: 'paid' as const };
  expect((await deliver(completed(claim))).status).toBe(200);
  expect(await mine.credit()).toBe(0);
  // A session that was paid, under the name of a payment that was not.
  house.stripe.pay(mine.session);
  const other = { ...mine.session, metadata: theirs.session.metadata };
  expect((await deliver(completed(other))).status).toBe(200);
  expect([await mine.credit(), await theirs.credit()]).toEqual([0, 0]);
  expect((await deliver(completed(mine.session))).status).toBe(200);
  expect([await mine.credit(), await theirs.credit()]).toEqual([5 * USD, 0]);
});

test('events of others on the same Stripe account, and of other kinds, are taken and ignored', async () => {
  const { session } = await atCheckout();
  const foreign = [
    house.stripe.event('checkout.session.completed', { ...session, metadata: {} }),
    house.stripe.event('checkout.session.completed', {
      ...session,
      metadata: { payment: "' or 1" },
    }),
    house.stripe.event('customer.created', { id: 'cus_1' }),
    house.stripe.event('charge.refunded', { id: 'ch_1', payment_intent: 'pi_of_another_shop' }),
    house.stripe.event('charge.refunded', { id: 'ch_1', payment_intent: null }),
  ];
  for (const body of foreign) expect((await deliver(body)).status).toBe(200);
});

test('a session that expired, or whose payment failed later, is shown so; one that is paid after all is credited', async () => {
  const { user, session, credit } = await atCheckout();
  session.status = 'expired';
  expect((await deliver(house.stripe.event('checkout.session.expired', session))).status).toBe(200);
  expect((await user.payments()).data[0]?.status).toBe('expired');
  const slow = house.stripe.at(await user.card('7'));
  house.stripe.pay(slow, { payment_status: 'unpaid' });
  await deliver(completed(slow));
  expect((await user.payments()).data[0]?.status).toBe('pending');
  if (slow.payment_intent) slow.payment_intent.status = 'requires_payment_method';
  await deliver(house.stripe.event('checkout.session.async_payment_failed', slow));
  expect((await user.payments()).data[0]?.status).toBe('failed');
  expect(await credit()).toBe(0);
  // The events of before come late: nothing changes back.
  await deliver(completed(slow));
  expect((await user.payments()).data[0]?.status).toBe('failed');
  house.stripe.pay(session);
  await deliver(completed(session));
  expect(await credit()).toBe(20 * USD);
});

test('refunds in parts are taken once each, and one that fails comes back', async () => {
  const { user, session, credit } = await atCheckout();
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
  const { session, credit } = await atCheckout();
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
  // A refund beside a dispute: the money is gone once.
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
  const { user, session, credit } = await atCheckout();
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
  const { user, session, credit } = await atCheckout();
  const { db } = house.server.services.database;
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
  const { user, session } = await atCheckout();
  const { id } = await makeBucket(house.server, user);
  const { billing, database } = house.server.services;
  const status = async () => {
    const answer = await fetch(`${house.server.url}/buckets/${id}`, {
      headers: user.authorization,
    });
    return ((await answer.json()) as { status: string }).status;
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

test('every amount but digits from 5 to 10,000 with at most two decimals is refused, before anything is begun', async () => {
  const user = await payer(house.server);
  const refusals = {
    '4.99': TOP_UP_TEXTS.least,
    '-5': TOP_UP_TEXTS.least,
    '0': TOP_UP_TEXTS.least,
    '10000.01': TOP_UP_TEXTS.most,
    '99999999999': TOP_UP_TEXTS.most,
    '5.001': TOP_UP_TEXTS.spelling,
    '1e3': TOP_UP_TEXTS.spelling,
    '5,00': TOP_UP_TEXTS.spelling,
    '1.000,00': TOP_UP_TEXTS.spelling,
    '%D9%A5%D9%A0': TOP_UP_TEXTS.spelling,
    '0x10': TOP_UP_TEXTS.spelling,
    NaN: TOP_UP_TEXTS.spelling,
    Infinity: TOP_UP_TEXTS.spelling,
    '%205': TOP_UP_TEXTS.spelling,
    '5%00': TOP_UP_TEXTS.spelling,
  };
  const before = house.stripe.calls.length + house.cryptomus.calls.length;
  for (const [amount, text] of Object.entries(refusals)) {
    for (const way of ['stripe', 'crypto']) {
      const answer = await user.call('POST', `/payments/${way}/checkout/${amount}`);
      expect([amount, answer.status, await answer.text()]).toEqual([amount, 422, text]);
    }
  }
  expect(house.stripe.calls.length + house.cryptomus.calls.length).toBe(before);
  expect(await user.payments()).toEqual({ data: [], nextId: null });
  expect(house.stripe.at(await user.card('10000')).amount_total).toBe(1_000_000);
});

test('a provider that fails, hangs up or refuses is a clear 503 or 502, tells no secret, and the payment is failed', async () => {
  const { user } = await atCheckout();
  const troubles = [
    [{ status: 500 }, 503],
    ['reset', 503],
    [{ status: 429 }, 503],
    [
      { status: 401, body: `{"error":{"type":"invalid_request_error","message":"${STRIPE_KEY}"}}` },
      502,
    ],
    [{ status: 402, body: '{"error":{"type":"card_error","code":"declined"}}' }, 502],
  ] as const;
  for (const [trouble, status] of troubles) {
    // The library tries once more.
    house.stripe.troubles.push(trouble, trouble);
    const answer = await user.call('POST', '/payments/stripe/checkout/20');
    const text = await answer.text();
    expect([trouble, answer.status]).toEqual([trouble, status]);
    expect(text).toMatch(/^The payment provider .* Nothing was charged/);
    expect(text).not.toContain('sk_test');
    if (status === 503) expect(answer.headers.get('retry-after')).toBe('60');
    house.stripe.troubles.splice(0);
    expect((await user.payments()).data[0]).toMatchObject({ status: 'failed', note: 'refused' });
  }
  // On the return, and in a webhook that is sent again later.
  house.stripe.troubles.push({ status: 503 }, { status: 503 });
  expect((await user.back()).status).toBe(503);
});

test('a webhook whose provider does not answer is asked for again, and credits then', async () => {
  const { session, credit } = await atCheckout();
  house.stripe.pay(session);
  house.stripe.troubles.push({ status: 503 }, { status: 503 });
  expect((await deliver(completed(session))).status).toBe(503);
  expect(await credit()).toBe(0);
  expect((await deliver(completed(session))).status).toBe(200);
  expect(await credit()).toBe(20 * USD);
});

test('housekeeping asks about what nobody told of, and gives up what can no longer be paid', async () => {
  const { user, session, credit } = await atCheckout();
  const { payments } = house.server.services;
  house.stripe.pay(session);
  await payments.askDue();
  await payments.askDue();
  now += 2 * 60_000;
  await payments.askDue();
  expect(await credit()).toBe(20 * USD);
  await user.card('5');
  house.stripe.sessions.pop();
  now += 26 * 60 * 60_000;
  await payments.askDue();
  now -= 26 * 60 * 60_000;
  expect((await user.payments()).data[0]?.status).toBe('expired');
});

test('payments are listed page by page with and without the slash, and to nobody else', async () => {
  const user = await payer(house.server);
  for (const amount of ['5', '6', '7']) await user.card(amount);
  const first = await user.payments('?cursor=0&limit=2');
  expect(first.data.map(({ amount }) => amount)).toEqual([7, 6]);
  const bare = await user.call('GET', `/payments/user?limit=50&cursor=${first.nextId}`);
  expect(await bare.json()).toEqual({
    data: [expect.objectContaining({ amount: 5 })],
    nextId: null,
  });
  expect((await (await payer(house.server)).payments()).data).toEqual([]);
  for (const query of ['?limit=51', '?cursor=x', '?limit=0']) {
    expect((await user.call('GET', `/payments/user/${query}`)).status).toBe(422);
  }
  const calls: [string, string][] = [
    ['GET', '/payments/user/'],
    ['POST', '/payments/stripe/checkout/5'],
    ['POST', '/payments/stripe/checkout/nonsense'],
    ['POST', '/payments/crypto/checkout/5'],
    ['GET', '/payments/stripe/update'],
  ];
  const visitor = browser(house.server.url);
  for (const [method, path] of calls) {
    const answers = await Promise.all([
      visitor.fetch(path, { method }),
      // The cookie renders pages and authorises nothing.
      user.client.fetch(path, { method }),
    ]);
    expect([path, ...answers.map(({ status }) => status)]).toEqual([path, 401, 401]);
  }
});

test('the billing pages are for who is logged in, and hold no key of a provider', async () => {
  const user = await payer(house.server);
  const client = browser(house.server.url);
  for (const path of ['/billing', '/billing/success']) {
    const visitor = await client.fetch(path, { headers: { accept: 'text/html' } });
    expect([path, visitor.status, visitor.headers.get('location')]).toEqual([path, 302, '/login']);
    const page = await user.client.fetch(path, { headers: { accept: 'text/html' } });
    expect([path, page.status]).toEqual([path, 200]);
    const html = await page.text();
    expect(html).toContain('>$0.00</span>');
    for (const secret of Object.values({ ...house.stripe.env, ...house.cryptomus.env })) {
      expect(html).not.toContain(secret);
    }
  }
});

test('nobody begins more than thirty payments in an hour', async () => {
  const user = await payer(house.server);
  const { db } = house.server.services.database;
  await user.card('5');
  const [row] = await db
    .selectFrom('payments')
    .selectAll()
    .where('user_id', '=', user.userId)
    .execute();
  if (!row) throw new Error('no payment');
  const rows = Array.from({ length: 29 }, (_, n) => ({
    ...row,
    id: `${row.id.slice(0, -2)}${n + 10}`,
    checkout_id: null,
  }));
  await db.insertInto('payments').values(rows).execute();
  expect((await user.call('POST', '/payments/stripe/checkout/5')).status).toBe(429);
});

test('without providers the calls say so, and messages are not taken', async () => {
  const server = await startServer();
  try {
    const user = await signUp(server);
    const call = (path: string, method = 'POST') =>
      fetch(`${server.url}${path}`, { method, headers: user.authorization });
    const card = await call('/payments/stripe/checkout/20');
    expect([card.status, card.headers.get('x-error-code'), await card.text()]).toEqual([
      503,
      'not-configured',
      'Paying by card is not set up on this server.',
    ]);
    expect((await call('/payments/crypto/checkout/20')).status).toBe(503);
    expect((await call('/payments/stripe/checkout/1')).status).toBe(422);
    expect((await call('/payments/stripe/webhook')).status).toBe(503);
    expect(await (await call('/payments/stripe/update', 'GET')).json()).toEqual({ pending: 0 });
  } finally {
    await server.stop();
  }
});

test('a payment makes the buckets of an account that was below zero run again at once', async () => {
  const { user, session } = await atCheckout();
  const { services } = house.server;
  const bucket = await makeBucket(house.server, user);
  const status = async () => (await services.buckets.byId(bucket.id))?.status;
  const { userId } = user;
  const owed = { userId, kind: 'grant', amount: -1, ref: `owed:${userId}`, at: now } as const;
  await services.database.transaction((tx) => post(tx, owed));
  await services.billing.review(userId);
  expect(await status()).toBe('suspended');
  house.stripe.pay(session);
  expect((await deliver(completed(session))).status).toBe(200);
  expect(await status()).toBe('running');
});
