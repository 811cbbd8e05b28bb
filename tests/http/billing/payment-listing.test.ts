import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkWebhooks } from '../../../server/cli/doctor/payments.ts';
import type { AdminJobsWire } from '../../../server/contract/wire.ts';
import { signUp } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import {
  type PaymentServer,
  startPaymentServer,
} from '../../support/payments/in-process-payments.ts';
import { atCheckout, creditOf, payer } from '../../support/payments/payment-fixture.ts';

let fixture: PaymentServer;
// Doctor goes by the clock of the machine, so this one starts before it.
const START = Date.now() - 20 * 24 * 60 * 60_000;
const USD = 1_000_000;
const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const ADMIN = 'admin@example.com';

beforeAll(async () => {
  fixture = await startPaymentServer({ ADMIN_EMAIL: ADMIN }, START);
});
afterAll(() => fixture.stop());

/** Lists the refunds and disputes of a day. */
async function nextDay() {
  fixture.clock.now += DAY + HOUR;
  await fixture.server.services.payments.checkReversals(new AbortController().signal);
}
/** Returns a card payment that was announced. */
async function paid() {
  const begun = await atCheckout(fixture);
  fixture.stripe.pay(begun.session);
  await fixture.deliver(fixture.stripe.event('checkout.session.completed', begun.session));
  return begun;
}

test('refunds and disputes that nobody announced are found within a day, page by page', async () => {
  await fixture.server.services.payments.checkReversals(new AbortController().signal);
  fixture.stripe.pageSize.max = 2;
  const payments = [await paid(), await paid(), await paid()];
  for (const { session } of payments) fixture.stripe.refund(session, 500);
  const [first] = payments;
  if (!first) throw new Error('nothing was paid');
  const dispute = fixture.stripe.dispute(first.session, 1500);
  await nextDay();
  expect(await Promise.all(payments.map(({ credit }) => credit()))).toEqual([
    0,
    15 * USD,
    15 * USD,
  ]);

  fixture.stripe.calls.length = 0;
  await nextDay();
  // Nothing is different, so no payment is asked about.
  expect(fixture.stripe.calls.map(({ path }) => path)).toEqual([
    '/v1/refunds',
    '/v1/refunds',
    '/v1/disputes',
  ]);
  dispute.status = 'won';
  fixture.stripe.moveFunds(dispute, 1500);
  await nextDay();
  expect(await first.credit()).toBe(15 * USD);
  fixture.stripe.pageSize.max = 100;
});

test('refunds of crypto are found too, and those of others are left alone', async () => {
  const users: string[] = [];
  for (const amount of ['20', '30', '40']) {
    const user = await payer(fixture.server);
    const invoice = fixture.cryptomus.at(await user.crypto(amount));
    fixture.cryptomus.pay(invoice, '40', '40');
    await fixture.cryptomus.deliver(fixture.server.url, invoice);
    fixture.cryptomus.pay(invoice, '40', '40', 'refund_paid');
    users.push(user.userId);
  }
  fixture.stripe.refund({ payment_intent: { id: 'pi_of_another_shop' } }, 500);
  await nextDay();
  for (const userId of users) expect(await creditOf(fixture.server, userId)).toBe(0);
});

test('a list that breaks off is listed again from where it began', async () => {
  const { session, credit } = await paid();
  fixture.stripe.refund(session, 500);
  fixture.stripe.troubles.push({ status: 503 }, { status: 503 });
  await expect(nextDay()).rejects.toMatchObject({ code: 'unavailable' });
  expect(await credit()).toBe(20 * USD);
  await fixture.server.services.payments.checkReversals(new AbortController().signal);
  expect(await credit()).toBe(15 * USD);
});

test('webhooks that do not arrive are shown, reported by doctor and mailed once, until they do', async () => {
  const { authorization } = await signUp(fixture.server, ADMIN);
  const card = async () => {
    const response = await fetch(`${fixture.server.url}/admin/jobs`, { headers: authorization });
    const { webhooks } = (await response.json()) as AdminJobsWire;
    return webhooks.find(({ method }) => method === 'card');
  };
  const mails = async () => {
    const names = await readdir(fixture.server.outbox);
    const files = names.filter((name) => name.endsWith('.eml'));
    const texts = await Promise.all(
      files.map((file) => readFile(join(fixture.server.outbox, file), 'utf8')),
    );
    return texts.filter((text) => text.includes('webhooks don') && text.includes(ADMIN)).length;
  };
  const doctor = async () => {
    const { database, config } = fixture.server.services;
    const findings = await Array.fromAsync(checkWebhooks(database, config));
    return findings.filter(({ text }) => text.startsWith('Stripe')).map(({ ok }) => ok);
  };

  const last = (await card())?.last;
  const { user, session, credit } = await atCheckout(fixture);
  fixture.stripe.pay(session);
  const completed = fixture.stripe.event('checkout.session.completed', session);
  expect((await fixture.deliver(completed, { secret: 'whsec_of_another_endpoint' })).status).toBe(
    400,
  );
  await user.back();
  expect(await credit()).toBe(20 * USD);
  expect(await card()).toMatchObject({ last, unannounced: null });
  fixture.clock.now += 2 * HOUR;
  expect(await card()).toMatchObject({ last, unannounced: expect.any(String) });
  expect(await doctor()).toEqual([false]);
  await nextDay();
  await nextDay();
  await until(async () => (await mails()) === 1);

  await paid();
  fixture.clock.now += 2 * HOUR;
  expect((await card())?.unannounced).toBeNull();
  expect((await card())?.last).not.toBe(last);
  expect(await doctor()).toEqual([true]);
  await nextDay();
  expect(await mails()).toBe(1);
});
