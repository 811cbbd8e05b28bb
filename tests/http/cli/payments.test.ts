import { expect, test } from 'bun:test';
import { until } from '../../support/client/wait.ts';
import { creditOf, payer, startPaymentFixture } from '../../support/payments/payment-fixture.ts';
import { runCommand } from '../../support/server/command.ts';
import { startServer, stopAfterAll } from '../../support/server/server.ts';
import { engineSettings } from '../../support/server/test-engine.ts';

const USD = 1_000_000;
const fixture = await startPaymentFixture(startServer);
await stopAfterAll(Promise.resolve({ ...fixture.server, stop: fixture.stop }));
const { stripe, cryptomus, server } = fixture;
const today = new Date().toISOString().slice(0, 10);

const payments = async (...args: string[]) =>
  runCommand(['payments', ...args], {
    DATA_DIR: server.dataDir,
    APP_URL: server.url,
    ...(await engineSettings(server.dataDir)),
    ...stripe.env,
    ...cryptomus.env,
  });
/** Removes payments as a restored backup does that is older than they are. */
const forget = (...userIds: string[]) =>
  server.db.deleteFrom('payments').where('user_id', 'in', userIds).execute();
const completed = (session: ReturnType<typeof stripe.at>) =>
  stripe.deliver(server.url, stripe.event('checkout.session.completed', session));

test('payments that a restored backup lacks are reported, and credited once by wharf payments reconcile', async () => {
  const [card, crypto, kept] = [await payer(server), await payer(server), await payer(server)];
  const session = stripe.at(await card.card('20'));
  const invoice = cryptomus.at(await crypto.crypto('30'));
  const unpaid = stripe.at(await card.card('5'));
  const keptSession = stripe.at(await kept.card('7'));
  stripe.pay(keptSession);
  await completed(keptSession);
  await forget(card.userId, crypto.userId);
  stripe.pay(session);
  stripe.refund(session, 500);
  cryptomus.pay(invoice, '40', '40');

  expect((await completed(session)).status).toBe(200);
  expect((await completed(unpaid)).status).toBe(200);
  expect((await cryptomus.deliver(server.url, invoice)).status).toBe(200);
  const payment = session.metadata.payment ?? '';
  await until(async () => (await server.log()).includes('run wharf payments reconcile'));
  expect(await server.log()).toContain(`payment ${payment} was paid at stripe`);
  const entries = await server.db
    .selectFrom('audit_log')
    .select(['message', 'details'])
    .where('action', '=', 'payment.unknown')
    .orderBy('id')
    .execute();
  expect(entries.map(({ message }) => message)).toEqual([
    "Stripe reports a payment of $20.00 that this server doesn't know.",
    "Cryptomus reports a payment of $30.00 that this server doesn't know.",
  ]);
  expect(await creditOf(server, card.userId)).toBe(0);

  const first = await payments('reconcile', '--since', today);
  expect(first).toMatchObject({
    status: 0,
    stderr: '1 known, 2 credited, 0 to be refunded, 0 not settled.\n',
  });
  expect(first.stdout).toContain(
    `Stripe ${session.id}, payment ${payment}, account ${card.userId}: $20.00 credited`,
  );
  expect(await creditOf(server, card.userId)).toBe(15 * USD);
  expect(await creditOf(server, crypto.userId)).toBe(30 * USD);
  expect(await payments('reconcile', '--since', today)).toEqual({
    status: 0,
    stdout: '',
    stderr: '3 known, 0 credited, 0 to be refunded, 0 not settled.\n',
  });
  await completed(session);
  expect(await creditOf(server, card.userId)).toBe(15 * USD);
  expect(await creditOf(server, kept.userId)).toBe(7 * USD);
});

test('what nobody can be credited with is listed, and changes nothing', async () => {
  const [gone, unmarked] = [await payer(server), await payer(server)];
  const owed = stripe.at(await gone.card('11'));
  const unknown = stripe.at(await unmarked.card('12'));
  await forget(gone.userId, unmarked.userId);
  await server.db
    .updateTable('users')
    .set({ status: 'deleting' })
    .where('id', '=', gone.userId)
    .execute();
  stripe.pay(owed);
  stripe.pay(unknown);
  delete unknown.metadata.user;
  const { status, stdout, stderr } = await payments('reconcile', '--since', today);
  expect(status).toBe(1);
  expect(stderr).toEndWith('3 known, 0 credited, 1 to be refunded, 1 not settled.\n');
  expect(stdout).toContain(`account ${gone.userId}: $11.00 not credited, has to be refunded`);
  expect(stdout).toContain(`payment ${unknown.metadata.payment}: $12.00 not credited, no account`);
  expect(await creditOf(server, unmarked.userId)).toBe(0);
});

test('a wrong date, and a provider that does not answer, are said and exit with 1', async () => {
  for (const args of [[], ['reconcile'], ['reconcile', '--since', '2026-13-45']]) {
    const { status, stderr } = await payments(...args);
    expect(status).toBe(1);
    expect(stderr).toContain('payments reconcile --since DATE');
  }
  stripe.troubles.push({ status: 503 }, { status: 503 });
  const { status, stderr } = await payments('reconcile', '--since', today);
  expect(status).toBe(1);
  expect(stderr).toContain('is not responding');
});
