import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../support/client/wait.ts';
import { creditOf, payer, startHouse } from '../../support/payments/house.ts';
import {
  type InProcessServer,
  startServerInProcess,
} from '../../support/server/in-process-server.ts';

type House = Awaited<ReturnType<typeof startHouse<InProcessServer>>>;
let house: House;
let now = Date.now();
const USD = 1_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

beforeAll(async () => {
  house = await startHouse((env) => startServerInProcess(env, { clock: () => ++now }));
});
afterAll(() => house.stop());

const deliver = (body: string) =>
  house.stripe.deliver(house.server.url, body, { at: Math.floor(now / 1000) });

/** Returns a user with an invoice. A coin is worth half a dollar. */
async function withInvoice(amount = '20') {
  const user = await payer(house.server);
  const invoice = house.cryptomus.at(await user.crypto(amount));
  return {
    user,
    invoice,
    credit: () => creditOf(house.server, user.userId),
    tell: async () => (await house.cryptomus.deliver(house.server.url, invoice)).status,
    shown: async () => (await user.payments()).data[0],
  };
}

test('what a provider said earlier and is heard later undoes nothing that it said since', async () => {
  const user = await payer(house.server);
  const session = house.stripe.at(await user.card('20'));
  house.stripe.pay(session);
  await deliver(house.stripe.event('checkout.session.completed', session));
  const refund = house.stripe.refund(session, 2000, 'pending');
  // The provider is asked while the refund is pending, and answers after it has failed.
  house.stripe.keepNext('/v1/refunds');
  const late = deliver(house.stripe.event('refund.created', refund));
  await until(async () => house.stripe.waiting() === 1);
  await deliver(house.stripe.event('refund.updated', refund));
  refund.status = 'failed';
  await deliver(house.stripe.event('refund.failed', refund));
  expect(await creditOf(house.server, user.userId)).toBe(20 * USD);
  house.stripe.open();
  expect((await late).status).toBe(200);
  expect(await creditOf(house.server, user.userId)).toBe(20 * USD);
  expect((await user.payments()).data[0]).toMatchObject({ status: 'paid', refunded: 0 });
});

test('a refund that fails before its payment was credited leaves the payment, which is credited', async () => {
  const { invoice, credit, tell, shown } = await withInvoice();
  house.cryptomus.pay(invoice, '40', '40', 'refund_process');
  await tell();
  expect(await credit()).toBe(0);
  expect(await shown()).toMatchObject({ status: 'refunded', credited: 0 });
  house.cryptomus.pay(invoice, '40', '40', 'refund_fail');
  expect([await tell(), await tell()]).toEqual([200, 200]);
  expect(await credit()).toBe(20 * USD);
  expect(await shown()).toMatchObject({ status: 'paid', credited: 20, refunded: 0 });
});

test('nor does one that fails make more of what arrived than it was, whatever else was told of', async () => {
  for (const told of [
    ['wrong_amount', 'refund_process', 'refund_fail'],
    ['wrong_amount', 'refund_fail'],
    ['refund_fail'],
  ]) {
    const { invoice, credit, tell, shown } = await withInvoice();
    for (const status of told) {
      house.cryptomus.pay(invoice, '40', '30', status);
      await tell();
      expect([told, status, await credit()]).toEqual([told, status, 0]);
    }
    expect(await shown()).toMatchObject({ status: 'failed', note: 'short', credited: 0 });
  }
});

test('an amount that no number holds is owed back, and the history can still be read', async () => {
  const { user, invoice, credit, tell } = await withInvoice();
  house.cryptomus.pay(invoice, '40', '40');
  invoice.amount = '999999999999';
  expect(await tell()).toBe(200);
  expect(await credit()).toBe(0);
  const list = await user.call('GET', '/payments/user/');
  expect([list.status, await list.json()]).toMatchObject([
    200,
    { data: [{ status: 'failed', note: 'mismatch', credited: 0 }] },
  ]);
});

test('a payment about which the provider talks nonsense keeps no other from being asked about', async () => {
  const { payments } = house.server.services;
  const broken = await withInvoice();
  const good = await withInvoice();
  house.cryptomus.pay(good.invoice, '40', '40');
  Object.assign(broken.invoice, { uuid: null });
  now += 2 * MINUTE;
  await payments.checkDue();
  await payments.checkDue();
  expect(await good.credit()).toBe(20 * USD);
  const before = house.cryptomus.calls.length;
  // No payment is due again right after that.
  await payments.checkDue();
  expect(house.cryptomus.calls.length).toBe(before);
});

test('an invoice that the provider has never heard of is given up', async () => {
  const { shown, invoice } = await withInvoice();
  house.cryptomus.invoices.splice(house.cryptomus.invoices.indexOf(invoice), 1);
  now += 3 * HOUR;
  await house.server.services.payments.checkDue();
  await house.server.services.payments.checkDue();
  expect((await shown())?.status).toBe('expired');
});

test('who comes back from having paid is not told that nothing was charged', async () => {
  const user = await payer(house.server);
  const session = house.stripe.at(await user.card('20'));
  house.stripe.pay(session);
  for (const trouble of [{ status: 503 }, { status: 401 }]) {
    house.stripe.troubles.push(trouble, trouble);
    const response = await user.back();
    expect(response.status).toBeGreaterThanOrEqual(502);
    expect(await response.text()).not.toContain('Nothing was charged');
    house.stripe.troubles.splice(0);
  }
});

test('a payment that can not be asked about keeps who comes back from none of the others', async () => {
  const user = await payer(house.server);
  const sessions = [house.stripe.at(await user.card('20')), house.stripe.at(await user.card('30'))];
  for (const session of sessions) house.stripe.pay(session);
  house.stripe.troubles.push({ status: 400 });
  const response = await user.back();
  expect([response.status, await response.json()]).toEqual([200, { pending: 1 }]);
  expect(await creditOf(house.server, user.userId)).toBe(20 * USD);
});

test('nobody begins more than thirty payments in an hour, however many at once', async () => {
  const user = await payer(house.server);
  const responses = await Promise.all(
    Array.from({ length: 40 }, () => user.call('POST', '/payments/crypto/checkout/5')),
  );
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(30);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(10);
});
