import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../support/client/wait.ts';
import { creditOf, payer, startPaymentFixture } from '../../support/payments/payment-fixture.ts';
import { startServer } from '../../support/server/server.ts';

type Server = Awaited<ReturnType<typeof startServer>>;
type Fixture = Awaited<ReturnType<typeof startPaymentFixture<Server>>>;
let fixture: Fixture;
const USD = 1_000_000;

beforeAll(async () => {
  fixture = await startPaymentFixture(startServer);
});
afterAll(() => fixture.stop());

type Options = Parameters<Fixture['cryptomus']['deliver']>[2];

/** Returns a user with an invoice of this many dollars. A coin is worth half a dollar. */
async function withInvoice(amount = '20') {
  const user = await payer(fixture.server);
  const invoice = fixture.cryptomus.at(await user.crypto(amount));
  const rows = () =>
    fixture.server.db
      .selectFrom('payments')
      .selectAll()
      .where('user_id', '=', user.userId)
      .executeTakeFirstOrThrow();
  return {
    user,
    invoice,
    row: rows,
    credit: () => creditOf(fixture.server, user.userId),
    deliver: async (options?: Options) =>
      (await fixture.cryptomus.deliver(fixture.server.url, invoice, options)).status,
    latest: async () => (await user.payments()).data[0],
  };
}

test('an invoice is asked for in dollars, and credited once when its callback came', async () => {
  const { invoice, credit, deliver, latest } = await withInvoice('12.5');
  const pending = await latest();
  expect(invoice).toMatchObject({
    amount: '12.50',
    currency: 'USD',
    url_return: `${fixture.server.url}/billing?payment=${pending?.id}`,
    url_callback: `${fixture.server.url}/payments/crypto/webhook`,
  });
  expect(pending).toMatchObject({ status: 'pending', method: 'crypto', amount: 12.5 });
  expect(pending?.checkout_url).toContain(invoice.uuid);
  fixture.cryptomus.pay(invoice, '25', '25');
  const statuses = await Promise.all([deliver(), deliver(), deliver()]);
  expect([...statuses, await deliver()]).toEqual([200, 200, 200, 200]);
  expect(await credit()).toBe(12.5 * USD);
  expect(await latest()).toMatchObject({ status: 'paid', credited: 12.5 });
});

test('a callback says only where to look: what it claims without the invoice is nothing', async () => {
  const { invoice, credit, deliver, latest } = await withInvoice();
  const claims = { status: 'paid', payment_status: 'paid', amount: '9000.00', is_final: true };
  expect(await deliver({ claims })).toBe(200);
  expect(await credit()).toBe(0);
  expect((await latest())?.status).toBe('pending');
  fixture.cryptomus.pay(invoice, '40', '40');
  expect(await deliver({ claims })).toBe(200);
  expect(await credit()).toBe(20 * USD);
});

test('a callback with another key, another amount, no signature or half a body is refused', async () => {
  const { invoice, credit, deliver } = await withInvoice();
  fixture.cryptomus.pay(invoice, '40', '40');
  const refused = [
    await deliver({ key: 'another' }),
    await deliver({ tamper: (body) => body.replace('"amount":"20.00"', '"amount":"90.00"') }),
    await deliver({ tamper: (body) => body.replace(/,"sign":"[^"]*"/, '') }),
    await deliver({ tamper: (body) => body.replace(/"sign":"[^"]*"/, '"sign":null') }),
    await deliver({ tamper: (body) => body.slice(0, -2) }),
    await deliver({ tamper: () => '' }),
    await deliver({ tamper: () => '[]' }),
    await deliver({ tamper: () => 'null' }),
  ];
  expect(refused).toEqual(refused.map(() => 400));
  expect(await credit()).toBe(0);
  expect(await deliver()).toBe(200);
  expect(await credit()).toBe(20 * USD);
});

test('who pays more is credited what arrived, rounded down to the micro-dollar', async () => {
  const { invoice, credit, deliver, latest } = await withInvoice();
  fixture.cryptomus.pay(invoice, '40.00000000', '50.33333333', 'paid_over');
  expect(await deliver()).toBe(200);
  expect(await credit()).toBe(25_166_666);
  expect(await latest()).toMatchObject({ status: 'paid', amount: 20, credited: 25.166666 });
  expect(await deliver()).toBe(200);
  expect(await credit()).toBe(25_166_666);
});

test('a surplus is credited at the lesser rate, and up to the largest top-up; the rest is owed back', async () => {
  const fallen = await withInvoice();
  fixture.cryptomus.pay(fallen.invoice, '40', '60', 'paid_over');
  fallen.invoice.payment_amount_usd = '24.50';
  expect(await fallen.deliver()).toBe(200);
  expect(await fallen.credit()).toBe(24.5 * USD);
  expect(await fallen.row()).toMatchObject({ refund_due: 0, note: null });

  const risen = await withInvoice();
  fixture.cryptomus.pay(risen.invoice, '40', '60', 'paid_over');
  risen.invoice.payment_amount_usd = '90.00';
  await risen.deliver();
  expect(await risen.credit()).toBe(30 * USD);

  // The requested amount was paid in full, whatever the coins were worth a minute later.
  const exact = await withInvoice();
  fixture.cryptomus.pay(exact.invoice, '40', '40', 'paid_over');
  exact.invoice.payment_amount_usd = '19.00';
  await exact.deliver();
  expect(await exact.credit()).toBe(20 * USD);

  const large = await withInvoice('9000');
  fixture.cryptomus.pay(large.invoice, '18000', '22000', 'paid_over');
  expect([await large.deliver(), await large.deliver()]).toEqual([200, 200]);
  expect(await large.credit()).toBe(10_000 * USD);
  expect(await large.latest()).toMatchObject({ status: 'paid', note: 'surplus', credited: 10_000 });
  expect((await large.row()).refund_due).toBe(1_000 * USD);
  for (const [status, due, credit] of [
    ['refund_paid', 0, 0],
    ['refund_fail', 1_000 * USD, 10_000 * USD],
  ] as const) {
    fixture.cryptomus.pay(large.invoice, '18000', '22000', status);
    await large.deliver();
    expect([(await large.row()).refund_due, await large.credit()]).toEqual([due, credit]);
  }
});

test('who pays less is credited nothing, is shown why, and is owed it; if it is found to be paid after all it is credited', async () => {
  const { invoice, credit, deliver, latest, row } = await withInvoice();
  fixture.cryptomus.pay(invoice, '40', '30', 'wrong_amount_waiting');
  expect(await deliver()).toBe(200);
  expect((await latest())?.status).toBe('pending');
  fixture.cryptomus.pay(invoice, '40', '30', 'wrong_amount');
  expect([await deliver(), await deliver()]).toEqual([200, 200]);
  expect(await credit()).toBe(0);
  expect(await latest()).toMatchObject({ status: 'failed', note: 'short', credited: 0 });
  expect((await row()).refund_due).toBe(15 * USD);
  fixture.cryptomus.pay(invoice, '40', '40');
  await deliver();
  expect(await credit()).toBe(20 * USD);
  expect(await row()).toMatchObject({ status: 'paid', note: null, refund_due: 0 });
});

test('an invoice in another currency or of another amount is not credited', async () => {
  for (const change of [
    { currency: 'EUR' },
    { amount: '19.99' },
    { amount: '2000' },
    { amount: '1e9' },
  ]) {
    const { invoice, credit, deliver, latest } = await withInvoice();
    fixture.cryptomus.pay(invoice, '40', '40');
    Object.assign(invoice, change);
    expect(await deliver()).toBe(200);
    expect(await credit()).toBe(0);
    expect(await latest()).toMatchObject({ status: 'failed', note: 'mismatch' });
  }
});

test('a refund debits while it stands, whatever was told first, and comes back when it fails', async () => {
  const { invoice, credit, deliver, latest } = await withInvoice();
  fixture.cryptomus.pay(invoice, '40', '40');
  await deliver();
  for (const status of ['refund_process', 'refund_paid']) {
    fixture.cryptomus.pay(invoice, '40', '40', status);
    await deliver();
    await deliver({ claims: { status: 'paid' } });
    expect(await credit()).toBe(0);
    expect(await latest()).toMatchObject({ status: 'refunded', refunded: 20 });
  }
  fixture.cryptomus.pay(invoice, '40', '40', 'refund_fail');
  await deliver();
  expect(await credit()).toBe(20 * USD);
  expect(await latest()).toMatchObject({ status: 'paid', refunded: 0 });

  const earlier = await withInvoice();
  fixture.cryptomus.pay(earlier.invoice, '40', '40', 'refund_paid');
  await earlier.deliver({ claims: { status: 'paid' } });
  expect(await earlier.credit()).toBe(0);
  expect((await earlier.latest())?.status).toBe('refunded');
});

test('an invoice that nobody paid, or that failed, is shown so; a late coin is credited all the same', async () => {
  const { invoice, credit, deliver, latest } = await withInvoice();
  Object.assign(invoice, { status: 'cancel', payment_status: 'cancel' });
  await deliver();
  expect((await latest())?.status).toBe('expired');
  fixture.cryptomus.pay(invoice, '40', '40');
  await deliver();
  expect(await credit()).toBe(20 * USD);
  const other = await withInvoice();
  Object.assign(other.invoice, { status: 'fail', payment_status: 'system_fail' });
  await other.deliver();
  expect((await other.latest())?.status).toBe('failed');
});

test('a status that is unknown changes nothing, and is an error in the log', async () => {
  const { invoice, credit, deliver, latest } = await withInvoice();
  for (const status of ['locked', 'confirm_check', 'seized']) {
    Object.assign(invoice, { status, payment_status: status });
    expect(await deliver()).toBe(200);
  }
  expect(await credit()).toBe(0);
  const { id, status } = (await latest()) ?? {};
  expect(status).toBe('pending');
  await until(async () => (await fixture.server.log()).includes('seized'));
  const lines = (await fixture.server.log()).split('\n').filter((line) => line.includes(`${id}`));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`invoice ${invoice.uuid}: seized`);
});

test('callbacks about what is not ours are taken and ignored', async () => {
  const { invoice } = await withInvoice();
  const foreign = [{ type: 'wallet' }, { order_id: 'somebody-elses' }, { order_id: 7 }];
  for (const claims of foreign) {
    const response = await fixture.cryptomus.deliver(fixture.server.url, invoice, { claims });
    expect(response.status).toBe(200);
  }
});

test('a provider that breaks, hangs up, refuses or talks nonsense is a clear 503 or 502', async () => {
  const user = await payer(fixture.server);
  const troubles = [
    [{ status: 500, body: '<html>' }, 503],
    ['reset', 503],
    [{ status: 200, body: 'nonsense' }, 502],
    [{ status: 200, body: '{"state":0,"result":[]}' }, 502],
    [{ status: 200, body: '{"state":1,"message":"no"}' }, 502],
    [{ status: 422, body: '{"state":1,"errors":{}}' }, 502],
    [
      {
        status: 200,
        body: '{"state":0,"result":{"uuid":"a","order_id":"b","url":"javascript:x"}}',
      },
      502,
    ],
  ] as const;
  for (const [trouble, status] of troubles) {
    fixture.cryptomus.troubles.push(trouble);
    const response = await user.call('POST', '/payments/crypto/checkout/20');
    expect([trouble, response.status]).toEqual([trouble, status]);
    expect(await response.text()).toMatch(/^The payment provider .* Nothing was charged/);
    expect((await user.payments()).data[0]).toMatchObject({ status: 'failed', note: 'refused' });
  }
});

test('a provider that never answers is given up after eight seconds', async () => {
  const user = await payer(fixture.server);
  fixture.cryptomus.troubles.push('hang');
  const response = await user.call('POST', '/payments/crypto/checkout/20');
  expect(response.status).toBe(503);
});
