import { createHash, randomUUID } from 'node:crypto';
import { type Call, jsonReply, type Reply, startFixture } from './fixture-server.ts';

export const CRYPTOMUS_MERCHANT = '8b03432e-385b-4670-8d06-064591096795';
export const CRYPTOMUS_KEY = 'uQ4LFWCBE3dT84uQnt7ycL7p9WcSwjkSPQaZbik3ChoWO0egw51f4EAaZQKmefhP';

const PAGE_SIZE = 2;

export type Invoice = {
  uuid: string;
  order_id: string;
  amount: string;
  currency: string;
  /** The amounts due and paid, in the payer's cryptocurrency. */
  payer_amount: string | null;
  payment_amount: string | null;
  payer_currency: string | null;
  /** What the coins were worth when they arrived. */
  payment_amount_usd?: string;
  payment_status: string;
  status: string;
  is_final: boolean;
  created_at: string;
  additional_data: string | null;
  url: string;
  url_return: string;
  url_callback: string;
};

export type CryptomusFixture = Awaited<ReturnType<typeof startCryptomus>>;

const sign = (text: string, key: string) =>
  createHash('md5')
    .update(Buffer.from(text).toString('base64') + key)
    .digest('hex');
/** Encodes JSON like PHP's json_encode with JSON_UNESCAPED_UNICODE. */
const phpJson = (value: unknown) => JSON.stringify(value).replaceAll('/', '\\/');

/**
 * A fake of Cryptomus with everything that invoices need: signed requests, one invoice per order, its
 * errors, and callbacks whose signature is in the JSON. It runs in Node and in Bun.
 */
export async function startCryptomus() {
  const invoices: Invoice[] = [];
  const where = { url: '' };
  const ok = (result: object) => jsonReply(200, { state: 0, result });

  const create = (fields: Record<string, string>): Reply => {
    const old = invoices.find((one) => one.order_id === fields.order_id);
    if (old) return ok(old);
    if (
      !/^\d+(\.\d+)?$/.test(fields.amount ?? '') ||
      !/^[\w-]{1,128}$/.test(fields.order_id ?? '')
    ) {
      return jsonReply(422, { state: 1, errors: { amount: ['validation.required'] } });
    }
    const uuid = randomUUID();
    const invoice: Invoice = {
      uuid,
      order_id: fields.order_id ?? '',
      amount: fields.amount ?? '',
      currency: fields.currency ?? '',
      payer_amount: null,
      payment_amount: null,
      payer_currency: null,
      payment_status: 'check',
      status: 'check',
      is_final: false,
      created_at: new Date().toISOString(),
      additional_data: fields.additional_data ?? null,
      url: `${where.url}/pay/${uuid}`,
      url_return: fields.url_return ?? '',
      url_callback: fields.url_callback ?? '',
    };
    invoices.push(invoice);
    return ok(invoice);
  };

  /** Returns a page of the invoices, as Cryptomus does: the cursor names the next one. */
  const listPage = (cursor: string | null, from: string): Reply => {
    const all = invoices.filter(({ created_at }) => created_at >= from.replace(' ', 'T'));
    const start = Number(cursor ?? 0);
    const items = all.slice(start, start + PAGE_SIZE);
    const nextCursor = start + PAGE_SIZE < all.length ? String(start + PAGE_SIZE) : null;
    const paginate = { count: items.length, hasPages: all.length > PAGE_SIZE, nextCursor };
    return ok({ items, paginate });
  };

  const api = ({ path, query, headers, body }: Call): Reply => {
    if (headers.merchant !== CRYPTOMUS_MERCHANT || headers.sign !== sign(body, CRYPTOMUS_KEY)) {
      return jsonReply(401, { state: 1, message: 'Invalid Sign.' });
    }
    const fields = JSON.parse(body) as Record<string, string>;
    if (path === '/v1/payment') return create(fields);
    if (path === '/v1/payment/list') return listPage(query.get('cursor'), fields.date_from ?? '');
    if (path !== '/v1/payment/info') return jsonReply(404, { state: 1, message: 'Not found' });
    const invoice = invoices.find((one) => one.order_id === fields.order_id);
    if (invoice) return ok(invoice);
    return jsonReply(422, { state: 1, message: 'Payment was not found' });
  };

  const fixture = await startFixture((call) => {
    if (call.path.startsWith('/v1/')) return api(call);
    const invoice = invoices.find((one) => call.path.startsWith(`/pay/${one.uuid}`));
    if (!invoice) return { status: 404, body: 'nothing here' };
    if (!call.path.endsWith('/done')) {
      const text = `<title>Invoice</title><h1>Pay $${invoice.amount}</h1>`;
      return { status: 200, body: `${text}<a href="/pay/${invoice.uuid}/done">Pay</a>` };
    }
    pay(invoice, '20', '20');
    return { status: 303, body: '', location: invoice.url_return };
  });
  where.url = fixture.url;

  /** Records that `paid` of `due` was received, in the payer's cryptocurrency. */
  function pay(invoice: Invoice, due: string, paid: string, status = 'paid') {
    const coin = { payer_amount: due, payment_amount: paid, payer_currency: 'USDT' };
    Object.assign(invoice, coin, { payment_status: status, status, is_final: true });
  }

  return {
    ...fixture,
    invoices,
    pay,
    env: {
      CRYPTOMUS_MERCHANT,
      CRYPTOMUS_PAYMENT_KEY: CRYPTOMUS_KEY,
      CRYPTOMUS_API_BASE: fixture.url,
    },
    /** Returns the invoice of the page that a checkout returned. */
    at: (url: string) => {
      const invoice = invoices.find((one) => one.url === url);
      if (!invoice) throw new Error(`no invoice at ${url}`);
      return invoice;
    },
    /** Sends a server the callback of an invoice, with its current state or with `claims`. */
    deliver(
      server: string,
      invoice: Invoice,
      options: { claims?: object; key?: string; tamper?: (body: string) => string } = {},
    ): Promise<Response> {
      const { url, ...publicFields } = invoice;
      const fields = {
        type: 'payment',
        ...publicFields,
        txid: 'a/b',
        from: 'Zürich',
        ...options.claims,
      };
      const signed = { ...fields, sign: sign(phpJson(fields), options.key ?? CRYPTOMUS_KEY) };
      // PHP's HTTP client escapes characters that the signer does not.
      const body = phpJson(signed).replaceAll('ü', '\\u00fc');
      return fetch(`${server}/payments/crypto/webhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: options.tamper?.(body) ?? body,
      });
    },
  };
}
