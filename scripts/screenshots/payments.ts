import { startCryptomus } from '../../tests/support/payments/cryptomus.ts';
import { startStripe } from '../../tests/support/payments/stripe.ts';
import type { ServerProcess } from '../../tests/support/server/server-process.ts';

export type Providers = Awaited<ReturnType<typeof startProviders>>;

/** Starts both payment providers, as far as the pages need them. */
export async function startProviders() {
  const [stripe, cryptomus] = await Promise.all([startStripe(), startCryptomus()]);
  return {
    env: { ...stripe.env, ...cryptomus.env, SIGNUP_CREDIT: '1' },
    cryptomus,
    stop: () => Promise.all([stripe.stop(), cryptomus.stop()]),
  };
}

/** Pays some amounts by card and by crypto, and leaves two payments open. */
export async function makePayments(
  { url }: ServerProcess,
  token: string,
  { cryptomus }: Providers,
) {
  const call = async (method: string, path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${url}${path}`, { method, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  for (const amount of [10, 25, 50, 100]) {
    const response = await call('POST', `/payments/stripe/checkout/${amount}`);
    const { url: page } = (await response.json()) as { url: string };
    await fetch(`${page}/done`, { redirect: 'manual' });
  }
  await call('GET', '/payments/stripe/update');
  for (const amount of [20, 40]) await call('POST', `/payments/crypto/checkout/${amount}`);
  const [paid, short] = cryptomus.invoices;
  if (!paid || !short) throw new Error('There is no invoice.');
  cryptomus.pay(paid, '20', '20');
  await cryptomus.deliver(url, paid);
  // Less than the requested amount arrives, so the operator owes it.
  cryptomus.pay(short, '40', '12', 'wrong_amount');
  await cryptomus.deliver(url, short);
  await call('POST', '/payments/stripe/checkout/30');
}

/** Deducts so much credit from an account that it is in debt. */
export async function putInDebt({ url }: ServerProcess, adminToken: string, userId: string) {
  const response = await fetch(`${url}/admin/users/${userId}/credit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: crypto.randomUUID(), usd: -3.2 }),
  });
  if (!response.ok) throw new Error(await response.text());
}
