import type { Page, PaymentWire } from '../../../server/contract/wire.ts';
import { signUp, type TestUser } from '../client/api.ts';
import type { TestServer } from '../server/server.ts';
import { startCryptomus } from './cryptomus.ts';
import { startStripe } from './stripe.ts';

/** A server that takes payments, and both providers. `start` starts it with what it needs. Call `stop` in `afterAll`. */
export async function startHouse<Server extends TestServer>(
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

/** Somebody with an account who pays. */
export async function payer(server: TestServer) {
  const user = await signUp(server);
  return { ...user, ...payingAt(server.url, user) };
}

/** Somebody who is on Stripe's page for so many dollars. */
export async function atCheckout(
  { server, stripe }: Awaited<ReturnType<typeof startHouse>>,
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
    const answer = await call('POST', path);
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    return (await answer.json()) as never;
  };
  return {
    call,
    /** Answers the page on which it can be paid. */
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

/** Micro-USD, from the ledger itself: the head, and the sum of the entries, which must agree. */
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
