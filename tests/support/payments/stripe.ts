import { createHmac, randomUUID } from 'node:crypto';
import { type Call, jsonReply, type Reply, startFixture } from './fixture-server.ts';
import { pick, unform } from './stripe-form.ts';

export const STRIPE_KEY = 'sk_test_4eC39HqLyjWDarjtT1zdp7dc';
export const STRIPE_WEBHOOK_SECRET = 'whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH';

type Intent = { id: string; object: 'payment_intent'; status: string; metadata: object };
export type StripeSession = {
  id: string;
  object: 'checkout.session';
  status: 'open' | 'complete' | 'expired';
  payment_status: 'unpaid' | 'paid';
  amount_total: number;
  currency: string;
  metadata: Record<string, string>;
  url: string | null;
  success_url: string;
  customer_email: string | null;
  expires_at: number;
  created: number;
  payment_intent: Intent | null;
};
type Refund = {
  id: string;
  object: 'refund';
  amount: number;
  status: string;
  payment_intent: string;
  created: number;
  metadata?: Record<string, string>;
};
type Endpoint = { id: string; url: string; status: string; enabled_events: string[] };
type Listed = { id: string; created: number; payment_intent: string | null };
type Movement = { amount: number; currency: string; created: number };
type Dispute = Omit<Refund, 'object'> & {
  object: 'dispute';
  currency: string;
  balance_transactions: Movement[];
};
/** Stripe withdraws the money of a dispute when it opens it, unless it is an inquiry or prevented. */
const withdraws = (status: string) => !status.startsWith('warning_') && status !== 'prevented';

const now = () => Math.floor(Date.now() / 1000);
const id = (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 24)}`;

export type StripeFixture = Awaited<ReturnType<typeof startStripe>>;

/**
 * A fake of Stripe with everything that Checkout needs: sessions with idempotency keys, payment intents,
 * refunds, disputes, its errors, and signed events. It runs in Node and in Bun.
 */
export async function startStripe() {
  const sessions: StripeSession[] = [];
  const refunds: Refund[] = [];
  const disputes: Dispute[] = [];
  const replies = new Map<string, { body: string; reply: Reply }>();
  const where = { url: '' };
  const endpoints: Endpoint[] = [];
  /** The paths that the key may not use, as with a restricted key. */
  const deniedPaths: string[] = [];
  /** Smaller than Stripe's 100, so that a test of a second page needs few objects. */
  const pageSize = { max: 100 };

  const failure = (status: number, type: string, code: string, param?: string) =>
    jsonReply(status, { error: { type, code, param, message: `refused, key ${STRIPE_KEY}` } });
  /** Returns a page of a list, newest first, from after the object that the call names. */
  const page = (objects: Listed[], query: URLSearchParams): Reply => {
    const since = Number(query.get('created[gte]') ?? 0);
    const intent = query.get('payment_intent');
    const all = objects
      .filter(({ created }) => created >= since)
      .filter(({ payment_intent }) => intent === null || payment_intent === intent)
      .toReversed();
    const after = query.get('starting_after');
    const from = after ? all.findIndex((one) => one.id === after) + 1 : 0;
    const limit = Number(query.get('limit') ?? 10);
    const data = all.slice(from, from + Math.min(limit, pageSize.max));
    return jsonReply(200, { object: 'list', data, has_more: from + data.length < all.length });
  };

  /** Returns a session as Stripe does: its payment intent is an id unless the call expands it. */
  const sessionView = (session: StripeSession, isExpanded: boolean) => ({
    ...session,
    payment_intent: isExpanded ? session.payment_intent : (session.payment_intent?.id ?? null),
  });

  const create = (body: string): Reply => {
    const form = unform(body);
    const amount = Number(pick(form, 'line_items.0.price_data.unit_amount'));
    const isValid = Number.isInteger(amount) && amount >= 50;
    const success_url = pick(form, 'success_url') ?? '';
    if (pick(form, 'mode') !== 'payment' || !isValid || !success_url) {
      return failure(400, 'invalid_request_error', 'parameter_invalid_integer');
    }
    const email = pick(form, 'customer_email');
    if (email && !/^[\w.+-]+@[\w-]+(\.[\w-]+)+$/.test(email)) {
      return failure(400, 'invalid_request_error', 'email_invalid', 'customer_email');
    }
    // The time must be between 30 minutes and 24 hours from now, by Stripe's clock.
    const seconds = Math.floor(Date.now() / 1000);
    const expiresAt = Number(pick(form, 'expires_at') ?? seconds + 24 * 3600);
    if (expiresAt < seconds + 1800 || expiresAt > seconds + 24 * 3600) {
      return failure(400, 'invalid_request_error', 'parameter_invalid_integer', 'expires_at');
    }
    const session: StripeSession = {
      id: id('cs_test'),
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      amount_total: amount,
      currency: pick(form, 'line_items.0.price_data.currency') ?? '',
      metadata: (form.metadata as Record<string, string>) ?? {},
      url: null,
      success_url,
      customer_email: email ?? null,
      expires_at: expiresAt,
      created: seconds,
      payment_intent: null,
    };
    session.url = `${where.url}/pay/${session.id}`;
    sessions.push(session);
    return jsonReply(200, sessionView(session, false));
  };

  /** Refunds a part of a payment, never more than is left of it. */
  const createRefund = (body: string): Reply => {
    const form = unform(body);
    const payment_intent = pick(form, 'payment_intent') ?? '';
    const amount = Number(pick(form, 'amount'));
    const session = sessions.find((one) => one.payment_intent?.id === payment_intent);
    const reason = pick(form, 'reason') ?? 'requested_by_customer';
    if (!session || !['duplicate', 'fraudulent', 'requested_by_customer'].includes(reason)) {
      return failure(400, 'invalid_request_error', 'resource_missing');
    }
    const refunded = refunds
      .filter((one) => one.payment_intent === payment_intent && one.status !== 'failed')
      .reduce((sum, one) => sum + one.amount, 0);
    if (!Number.isInteger(amount) || amount < 1 || refunded + amount > session.amount_total) {
      return failure(400, 'invalid_request_error', 'charge_already_refunded');
    }
    const metadata = (form.metadata as Record<string, string>) ?? {};
    const base = { id: id('re'), object: 'refund' as const, amount, status: 'succeeded' };
    const refund: Refund = { ...base, payment_intent, created: now(), metadata };
    refunds.push(refund);
    return jsonReply(200, refund);
  };

  /** Answers a request as the first one with its idempotency key. */
  const once = ({ headers, body }: Call, carryOut: (body: string) => Reply): Reply => {
    const key = headers['idempotency-key'] ?? id('key');
    const known = replies.get(key) ?? { body, reply: carryOut(body) };
    replies.set(key, known);
    return known.body === body
      ? known.reply
      : failure(400, 'idempotency_error', 'idempotency_key_in_use');
  };

  const api = (call: Call): Reply => {
    const { method, path, query, headers } = call;
    if (headers.authorization !== `Bearer ${STRIPE_KEY}`) {
      return failure(401, 'invalid_request_error', 'api_key_invalid');
    }
    if (deniedPaths.some((denied) => path.startsWith(denied))) {
      return failure(403, 'invalid_request_error', 'more_permissions_required');
    }
    if (path === '/v1/webhook_endpoints') {
      return jsonReply(200, { object: 'list', data: endpoints, has_more: false });
    }
    if (path === '/v1/payment_intents') {
      return jsonReply(200, { object: 'list', data: [], has_more: false });
    }
    if (method === 'POST' && path === '/v1/checkout/sessions') return once(call, create);
    if (method === 'POST' && path === '/v1/refunds') return once(call, createRefund);
    if (path === '/v1/checkout/sessions') {
      const status = query.get('status');
      const listed = sessions
        .filter((one) => status === null || one.status === status)
        .map((one) => ({ ...one, payment_intent: one.payment_intent?.id ?? null }));
      return page(listed, query);
    }
    if (path === '/v1/refunds') return page(refunds, query);
    if (path === '/v1/disputes') return page(disputes, query);
    const expired = sessions.find((one) => path === `/v1/checkout/sessions/${one.id}/expire`);
    if (expired) {
      if (expired.status !== 'open') return failure(400, 'invalid_request_error', '');
      expired.status = 'expired';
      return jsonReply(200, sessionView(expired, false));
    }
    const session = sessions.find((one) => path === `/v1/checkout/sessions/${one.id}`);
    if (!session) return failure(404, 'invalid_request_error', 'resource_missing');
    return jsonReply(200, sessionView(session, [...query.values()].includes('payment_intent')));
  };

  const fixture = await startFixture((call) => {
    if (call.path.startsWith('/v1/')) return api(call);
    const session = sessions.find((one) => call.path.startsWith(`/pay/${one.id}`));
    if (!session) return { status: 404, body: 'nothing here' };
    if (!call.path.endsWith('/done')) {
      const text = `<title>Checkout</title><h1>Pay $${session.amount_total / 100}</h1>`;
      return { status: 200, body: `${text}<a href="/pay/${session.id}/done">Pay</a>` };
    }
    pay(session);
    return { status: 303, body: '', location: session.success_url };
  });
  where.url = fixture.url;

  function pay(session: StripeSession, change: Partial<StripeSession> = {}) {
    const intent = { id: id('pi'), object: 'payment_intent' as const, metadata: session.metadata };
    Object.assign(session, { status: 'complete', payment_status: 'paid', ...change });
    session.payment_intent ??= { ...intent, status: 'succeeded' };
  }

  /** Withdraws the money of a dispute (a negative amount of cents), or reinstates it. */
  function moveFunds(dispute: Dispute, amount: number, currency = dispute.currency) {
    const created = Math.floor(Date.now() / 1000) + dispute.balance_transactions.length;
    dispute.balance_transactions.push({ amount, currency, created });
  }

  /** Returns an event as Stripe sends it, with the current state of an object. */
  const event = (type: string, object: object) => {
    const isSession = 'payment_status' in object;
    return JSON.stringify({
      id: id('evt'),
      object: 'event',
      api_version: '2025-01-27.acacia',
      created: Math.floor(Date.now() / 1000),
      livemode: false,
      type,
      data: { object: isSession ? sessionView(object as StripeSession, false) : object },
    });
  };

  return {
    ...fixture,
    refunds,
    sessions,
    endpoints,
    deniedPaths,
    pageSize,
    pay,
    event,
    env: {
      STRIPE_SECRET_KEY: STRIPE_KEY,
      STRIPE_WEBHOOK_SECRET,
      STRIPE_API_BASE: fixture.url,
    },
    /** Returns the session of the page that a checkout returned. */
    at: (url: string) => {
      const session = sessions.find((one) => one.url === url);
      if (!session) throw new Error(`no session at ${url}`);
      return session;
    },
    refund(
      session: { payment_intent: Pick<Intent, 'id'> | null },
      amount: number,
      status = 'succeeded',
    ): Refund {
      const payment_intent = session.payment_intent?.id ?? '';
      const refund: Refund = {
        id: id('re'),
        object: 'refund',
        amount,
        status,
        payment_intent,
        created: now(),
      };
      refunds.push(refund);
      return refund;
    },
    dispute(session: StripeSession, amount: number, status = 'needs_response'): Dispute {
      const payment_intent = session.payment_intent?.id ?? '';
      const dispute: Dispute = {
        id: id('dp'),
        object: 'dispute',
        amount,
        currency: session.currency,
        status,
        payment_intent,
        created: now(),
        balance_transactions: [],
      };
      if (withdraws(status)) moveFunds(dispute, -amount);
      disputes.push(dispute);
      return dispute;
    },
    moveFunds,
    /** Sends a server an event that was signed at `at` (epoch seconds). `sentBody` replaces its body. */
    deliver(
      server: string,
      body: string,
      options: { secret?: string; at?: number; sentBody?: string } = {},
    ): Promise<Response> {
      const { secret = STRIPE_WEBHOOK_SECRET, sentBody = body } = options;
      const at = options.at ?? Math.floor(Date.now() / 1000);
      const v1 = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
      return fetch(`${server}/payments/stripe/webhook`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': `t=${at},v1=${v1},v0=${'0'.repeat(64)}`,
        },
        body: sentBody,
      });
    },
  };
}
