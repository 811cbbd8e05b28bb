import type { Page, PaymentWire } from '../../../server/contract/wire.ts';
import { signUp, type TestUser } from '../client/api.ts';
import type { TestServer } from '../server/server.ts';
import { startCryptomus } from './cryptomus.ts';
import { startStripe } from './stripe.ts';

/** Starts both fake providers and a server that uses them. The caller must call `stop`. */
export async function startPaymentFixture<Server extends TestServer>(
  start: (env: Record<string, string>) => Promise<Server>,
) {
  const [stripe, cryptomus] = await Promise.all([startStripe(), startCryptomus()]);
  const server = await start({ SIGNUP_CREDIT: '0', ...stripe.env, ...cryptomus.env });
  return {
    stripe,
    cryptomus,
    server,
    async stop() {
      await server.stop();
      await stripe.stop();
      await cryptomus.stop();
    },
  };
}

/** Signs up a user who can make payments. */
export async function payer(server: TestServer) {
  const user = await signUp(server);
  return { ...user, ...payingAt(server.url, user) };
}

/** Signs up a user and starts a card payment of this many dollars. */
export async function atCheckout(
  { server, stripe }: Awaited<ReturnType<typeof startPaymentFixture>>,
  amount = '20',
) {
  const user = await payer(server);
  const session = stripe.at(await user.card(amount));
  return { user, session, credit: () => creditOf(server, user.userId) };
}

export function payingAt(url: string, { authorization }: Pick<TestUser, 'authorization'>) {
  const call = (method: string, path: string) =>
    fetch(`${url}${path}`, { method, headers: authorization });
  const begin = async (path: string) => {
    const response = await call('POST', path);
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as never;
  };
  return {
    call,
    /** Starts a card payment. Returns the URL of its page. */
    card: async (amount: string) =>
      ((await begin(`/payments/stripe/checkout/${amount}`)) as { url: string }).url,
    crypto: async (amount: string) =>
      ((await begin(`/payments/crypto/checkout/${amount}`)) as { result: { url: string } }).result
        .url,
    back: () => call('GET', '/payments/stripe/update'),
    payments: async (query = '') =>
      (await (await call('GET', `/payments/user/${query}`)).json()) as Page<PaymentWire>,
  };
}

/** Returns the balance in micro-USD from the ledger, whose head and sum of entries must be equal. */
export async function creditOf({ db }: TestServer, userId: string): Promise<number> {
  const entries = await db
    .selectFrom('ledger_entries')
    .select('amount')
    .where('user_id', '=', userId)
    .execute();
  const head = await db
    .selectFrom('ledger_accounts')
    .select('balance')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  const sum = entries.reduce((total, { amount }) => total + amount, 0);
  if (sum !== (head?.balance ?? 0))
    throw new Error(`the ledger says ${sum}, its head ${head?.balance}`);
  return sum;
}
