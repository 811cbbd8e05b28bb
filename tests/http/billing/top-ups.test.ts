import { afterAll, beforeAll, expect, test } from 'bun:test';
import { TOP_UP_TEXTS } from '../../../server/contract/money.ts';
import { signUp } from '../../support/client/api.ts';
import { browser } from '../../support/client/browser.ts';
import {
  type PaymentServer,
  startPaymentServer,
} from '../../support/payments/in-process-payments.ts';
import { atCheckout, payer } from '../../support/payments/payment-fixture.ts';
import { STRIPE_KEY } from '../../support/payments/stripe.ts';
import { startServer } from '../../support/server/server.ts';

let fixture: PaymentServer;

beforeAll(async () => {
  fixture = await startPaymentServer();
});
afterAll(() => fixture.stop());

const begin = (amount?: string) => atCheckout(fixture, amount);

test('every amount but digits from 5 to 10,000 with at most two decimals is refused, before anything is begun', async () => {
  const user = await payer(fixture.server);
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
  const before = fixture.stripe.calls.length + fixture.cryptomus.calls.length;
  for (const [amount, text] of Object.entries(refusals)) {
    for (const provider of ['stripe', 'crypto']) {
      const response = await user.call('POST', `/payments/${provider}/checkout/${amount}`);
      expect([amount, response.status, await response.text()]).toEqual([amount, 422, text]);
    }
  }
  expect(fixture.stripe.calls.length + fixture.cryptomus.calls.length).toBe(before);
  expect(await user.payments()).toEqual({ data: [], nextId: null });
  expect(fixture.stripe.at(await user.card('10000')).amount_total).toBe(1_000_000);
});

test('a provider that fails, hangs up or refuses is a clear 503 or 502, tells no secret, and the payment is failed', async () => {
  const { user } = await begin();
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
    // Two failures are needed, because the library retries once.
    fixture.stripe.troubles.push(trouble, trouble);
    const response = await user.call('POST', '/payments/stripe/checkout/20');
    const text = await response.text();
    expect([trouble, response.status]).toEqual([trouble, status]);
    expect(text).toMatch(/^The payment provider .* Nothing was charged/);
    expect(text).not.toContain('sk_test');
    if (status === 503) expect(response.headers.get('retry-after')).toBe('60');
    fixture.stripe.troubles.splice(0);
    expect((await user.payments()).data[0]).toMatchObject({ status: 'failed', note: 'refused' });
  }
  // Both fail: the return to the page, and the webhook that the provider will send again.
  fixture.stripe.troubles.push({ status: 503 }, { status: 503 });
  expect((await user.back()).status).toBe(503);
});

test('payments are listed page by page with and without the slash, and to nobody else', async () => {
  const user = await payer(fixture.server);
  for (const amount of ['5', '6', '7']) await user.card(amount);
  const first = await user.payments('?cursor=0&limit=2');
  expect(first.data.map(({ amount }) => amount)).toEqual([7, 6]);
  const second = await user.call('GET', `/payments/user?limit=50&cursor=${first.nextId}`);
  expect(await second.json()).toEqual({
    data: [expect.objectContaining({ amount: 5 })],
    nextId: null,
  });
  expect((await (await payer(fixture.server)).payments()).data).toEqual([]);
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
  const visitor = browser(fixture.server.url);
  for (const [method, path] of calls) {
    const responses = await Promise.all([
      visitor.fetch(path, { method }),
      // The cookie renders pages but authorises no API call.
      user.client.fetch(path, { method }),
    ]);
    expect([path, ...responses.map(({ status }) => status)]).toEqual([path, 401, 401]);
  }
});

test('the billing pages are for who is logged in, and hold no key of a provider', async () => {
  const user = await payer(fixture.server);
  const client = browser(fixture.server.url);
  for (const path of ['/billing', '/billing/success']) {
    const visitor = await client.fetch(path, { headers: { accept: 'text/html' } });
    expect([path, visitor.status, visitor.headers.get('location')]).toEqual([path, 302, '/login']);
    const page = await user.client.fetch(path, { headers: { accept: 'text/html' } });
    expect([path, page.status]).toEqual([path, 200]);
    const html = await page.text();
    expect(html).toContain('>$0.00</span>');
    for (const secret of Object.values({ ...fixture.stripe.env, ...fixture.cryptomus.env })) {
      expect(html).not.toContain(secret);
    }
  }
});

test('nobody begins more than thirty payments in an hour', async () => {
  const user = await payer(fixture.server);
  const { db } = fixture.server;
  await user.card('5');
  const [row] = await db
    .selectFrom('payments')
    .selectAll()
    .where('user_id', '=', user.userId)
    .execute();
  if (!row) throw new Error('no payment');
  const rows = Array.from({ length: 29 }, (_, n) => ({
    ...row,
    id: String(n).padStart(row.id.length, '0'),
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
      "Card payments aren't enabled on this server.",
    ]);
    expect((await call('/payments/crypto/checkout/20')).status).toBe(503);
    expect((await call('/payments/stripe/checkout/1')).status).toBe(422);
    expect((await call('/payments/stripe/webhook')).status).toBe(503);
    expect(await (await call('/payments/stripe/update', 'GET')).json()).toEqual({ pending: 0 });
  } finally {
    await server.stop();
  }
});
