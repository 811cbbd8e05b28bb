import { expect, test } from 'bun:test';
import { openSqliteForReading } from '../../../server/platform/db/sqlite/open.ts';
import { signUp } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { startCryptomus } from '../../support/payments/cryptomus.ts';
import { payingAt } from '../../support/payments/payment-fixture.ts';
import { startStripe } from '../../support/payments/stripe.ts';
import { type ServerProcess, startServerProcess } from '../../support/server/server-process.ts';

const ADMIN = 'admin@example.com';

async function begin() {
  const [stripe, cryptomus] = await Promise.all([startStripe(), startCryptomus()]);
  const env = { ...stripe.env, ...cryptomus.env, SIGNUP_CREDIT: '0', ADMIN_EMAIL: ADMIN };
  const server = await startServerProcess({ isQuick: true, env });
  const { token } = await signUp(server);
  const user = payingAt(server.url, { authorization: { authorization: `Bearer ${token}` } });
  const stop = async () => {
    await server.stop();
    await stripe.stop();
    await cryptomus.stop();
  };
  return { stripe, cryptomus, server, user, stop };
}

async function ledger({ dataDir }: ServerProcess): Promise<number[]> {
  const database = openSqliteForReading(`${dataDir}/wharf.db`);
  const rows = await database.db
    .selectFrom('ledger_entries')
    .select('amount')
    .where('kind', '!=', 'charge')
    .execute();
  await database.close();
  return rows.map(({ amount }) => amount);
}

test('kill -9 between the provider and the ledger: after the restart it is credited once, with no help of the provider', async () => {
  const { stripe, cryptomus, server, user, stop } = await begin();
  try {
    const session = stripe.at(await user.card('20'));
    const invoice = cryptomus.at(await user.crypto('30'));
    stripe.pay(session);
    cryptomus.pay(invoice, '60', '60');
    // The server asks the provider and is killed before the answer comes.
    stripe.shut();
    cryptomus.shut();
    const body = stripe.event('checkout.session.completed', session);
    const deliveries = [
      stripe.deliver(server.url, body),
      user.back(),
      cryptomus.deliver(server.url, invoice),
    ].map((one) => one.catch(() => null));
    await until(async () => stripe.waiting() >= 2 && cryptomus.waiting() >= 1);
    expect(await ledger(server)).toEqual([]);
    const restarted = server.restart('SIGKILL');
    await Promise.all(deliveries);
    stripe.open();
    cryptomus.open();
    await restarted;
    await until(async () => (await ledger(server)).length === 2);
    // The provider sends its webhooks again.
    await Promise.all([
      stripe.deliver(server.url, body),
      stripe.deliver(server.url, body),
      cryptomus.deliver(server.url, invoice),
      user.back(),
    ]);
    expect((await ledger(server)).sort()).toEqual([20_000_000, 30_000_000]);
    const { data } = await user.payments();
    expect(data.map(({ status }) => status)).toEqual(['paid', 'paid']);
  } finally {
    await stop();
  }
});

test('kill -9 while a checkout is being opened: the payment is on the disk, and is credited if it was paid', async () => {
  const { stripe, server, user, stop } = await begin();
  try {
    stripe.shut();
    const checkout = user.card('20').catch(() => null);
    await until(async () => stripe.waiting() === 1);
    const restarted = server.restart('SIGKILL');
    expect(await checkout).toBeNull();
    stripe.open();
    await restarted;
    expect((await user.payments()).data).toMatchObject([{ status: 'pending', amount: 20 }]);
    const [session] = stripe.sessions;
    if (!session) throw new Error('there is no session');
    stripe.pay(session);
    const body = stripe.event('checkout.session.completed', session);
    const responses = await Promise.all([body, body].map((one) => stripe.deliver(server.url, one)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(await ledger(server)).toEqual([20_000_000]);
  } finally {
    await stop();
  }
});

test('kill -9 after a refund whose answer was lost: sent again, it is the same refund', async () => {
  const { stripe, server, user, stop } = await begin();
  try {
    const session = stripe.at(await user.card('20'));
    stripe.pay(session);
    await user.back();
    const { token } = await signUp(server, ADMIN);
    const payment = (await user.payments()).data[0]?.id;
    const form = { usd: 5, reason: 'Asked for it', by: 'provider', id: crypto.randomUUID() };
    const refund = () =>
      fetch(`${server.url}/admin/payments/${payment}/refund`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(form),
      });
    stripe.failNext('POST /v1/refunds', 'reset', 'reset');
    expect((await refund()).status).toBe(503);
    await server.restart('SIGKILL');
    expect(await ledger(server)).toEqual([20_000_000]);
    expect((await refund()).status).toBe(200);
    expect((await refund()).status).toBe(200);
    expect(stripe.refunds).toHaveLength(1);
    expect(await ledger(server)).toEqual([20_000_000, -5_000_000]);
  } finally {
    await stop();
  }
});

test('neither log nor answers hold a key', async () => {
  const { stripe, cryptomus, server, user, stop } = await begin();
  try {
    const session = stripe.at(await user.card('20'));
    stripe.troubles.push({
      status: 401,
      body: JSON.stringify({ error: { message: stripe.env.STRIPE_SECRET_KEY } }),
    });
    cryptomus.troubles.push({ status: 401 });
    await user.card('5').catch(() => {});
    await user.crypto('5').catch(() => {});
    await stripe.deliver(server.url, stripe.event('checkout.session.completed', session));
    const log = await until(async () => {
      const text = await server.log();
      return text.includes('payments/stripe/webhook') && text;
    });
    for (const secret of [...Object.values(stripe.env), ...Object.values(cryptomus.env)]) {
      if (!secret.startsWith('http')) expect(log).not.toContain(secret);
    }
    expect(log).toContain('payment failed');
  } finally {
    await stop();
  }
});
