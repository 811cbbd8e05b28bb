import { createHash, timingSafeEqual } from 'node:crypto';
import { DAY, HOUR, SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { dollars, type Invoice, toListedPayment, toProviderPayment } from './cryptomus-payment.ts';
import {
  badSignature,
  type Checkout,
  type ListedPayment,
  type ListedReversal,
  type OpenCheckout,
  type PaymentProvider,
  PROVIDER_TIMEOUT_MS,
  ProviderError,
  type ProviderInspection,
  type ProviderPayment,
  providerUnavailable,
  type WebhookNotice,
} from './port.ts';

const INVOICE_TTL_MS = HOUR;

/** The message for an invoice that was never created. Its HTTP status varies. */
const NOT_FOUND_MESSAGE = 'Payment was not found';

/** A refund can start or fail for so long after the invoice was created. */
const REFUND_CHANGES_MS = 30 * DAY;

type InvoicePage = { items?: unknown; paginate?: { nextCursor?: string | null } };
type ApiResponse = { state?: unknown; result?: unknown; message?: unknown };

type CryptomusOptions = {
  merchant: string;
  paymentKey: string;
  apiBase: string;
  appUrl: string;
  clock: Clock;
};

/** Takes cryptocurrency payments on the page of Cryptomus. The invoice's `order_id` is the payment's id. */
export class CryptomusProvider implements PaymentProvider {
  readonly name = 'cryptomus';
  /**
   * Cryptomus refunds only a whole invoice, to an address that the payer has to name: the one that paid
   * may belong to an exchange. The request has no idempotency key either.
   */
  readonly refund = null;
  private readonly options: CryptomusOptions;

  constructor(options: CryptomusOptions) {
    this.options = options;
  }

  async open({ paymentId, userId, amount }: Checkout): Promise<OpenCheckout> {
    const { appUrl, clock } = this.options;
    const invoice = await this.call('/v1/payment', {
      amount: dollars(amount),
      currency: 'USD',
      order_id: paymentId,
      url_return: `${appUrl}/billing?payment=${paymentId}`,
      url_success: `${appUrl}/billing?payment=${paymentId}`,
      url_callback: `${appUrl}/payments/crypto/webhook`,
      is_payment_multiple: true,
      // What is needed to credit the payment without our row of it. The payer does not see it.
      additional_data: JSON.stringify({ user: userId }),
      lifetime: INVOICE_TTL_MS / SECOND,
    });
    const url = invoice?.url;
    if (!invoice || typeof url !== 'string' || !/^https?:/.test(url)) {
      throw new ProviderError('the invoice has no URL');
    }
    return { checkoutId: invoice.uuid, url, expiresAt: clock() + INVOICE_TTL_MS };
  }

  /** Cryptomus can't close an invoice. It ends within an hour. */
  async expire(): Promise<void> {}

  async fetchPayment(paymentId: string): Promise<ProviderPayment | null> {
    const invoice = await this.call('/v1/payment/info', { order_id: paymentId });
    return invoice?.order_id === paymentId ? toProviderPayment(invoice) : null;
  }

  /** Cryptomus has no test mode, and each invoice contains the address of the webhook. */
  async inspect(): Promise<ProviderInspection> {
    const date_from = dateText(this.options.clock() - DAY);
    await this.request('/v1/payment/list', { date_from });
    return { mode: null, deniedPermissions: [], webhook: null, missingEvents: [] };
  }

  async parseWebhook(body: string): Promise<WebhookNotice | null> {
    const fields = verifiedCallback(body, this.options.paymentKey);
    if (!fields) throw badSignature();
    const { type, order_id: paymentId, uuid } = fields;
    if (type !== 'payment' || typeof paymentId !== 'string') return null;
    const { received: paid } = toProviderPayment(fields as Invoice);
    return {
      paymentId,
      checkoutId: typeof uuid === 'string' ? uuid : null,
      isReversal: true,
      paid,
    };
  }

  /** Cryptomus lists by the time of creation, and a refund is a status of its invoice. */
  async *listReversals(since: number): AsyncGenerator<ListedReversal[]> {
    for await (const invoices of this.listInvoices(since - REFUND_CHANGES_MS)) {
      yield invoices.flatMap((invoice) => {
        const { reference, reversals } = toProviderPayment(invoice);
        return (reversals ?? []).map((reversal) => ({ reference: reference ?? '', reversal }));
      });
    }
  }

  async *listPayments(since: number): AsyncGenerator<ListedPayment[]> {
    for await (const invoices of this.listInvoices(since)) {
      yield invoices.map(toListedPayment).filter((listed) => listed !== null);
    }
  }

  /** Yields pages of the invoices that were created since a moment in epoch milliseconds. */
  private async *listInvoices(since: number): AsyncGenerator<Invoice[]> {
    const date_from = dateText(since);
    let cursor: string | null = null;
    do {
      const query: string = cursor ? `?cursor=${encodeURIComponent(cursor)}` : '';
      const result = await this.request(`/v1/payment/list${query}`, { date_from });
      const { items, paginate } = (result ?? {}) as InvoicePage;
      if (!Array.isArray(items)) throw new ProviderError('the answer holds no invoices');
      yield items.map(invoiceOf);
      cursor = paginate?.nextCursor ?? null;
    } while (cursor);
  }

  /** Calls the API and returns the invoice of the answer; null where there is none for this payment. */
  private async call(path: string, fields: object): Promise<Invoice | null> {
    const result = await this.request(path, fields);
    return result === null ? null : invoiceOf(result);
  }

  /** Calls the API and returns the result of the answer; null where the payment was not found. */
  private async request(path: string, fields: object): Promise<unknown> {
    const { merchant, paymentKey, apiBase } = this.options;
    const body = JSON.stringify(fields);
    const headers = {
      merchant,
      sign: cryptomusSign(body, paymentKey),
      'content-type': 'application/json',
    };
    const signal = AbortSignal.timeout(PROVIDER_TIMEOUT_MS);
    const init = { method: 'POST', headers, body, signal, redirect: 'error' as const };
    const { status, text } = await fetch(`${apiBase}${path}`, init)
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => {
        throw providerUnavailable();
      });
    if (status >= 500 || status === 429) throw providerUnavailable();
    const response = parseResponse(text);
    if (status === 404 || response?.message === NOT_FOUND_MESSAGE) return null;
    if (status !== 200 || response?.state !== 0) throw new ProviderError(`status ${status}`);
    return response.result ?? {};
  }
}

const dateText = (at: number) => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

function parseResponse(text: string): ApiResponse | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function invoiceOf(result: unknown): Invoice {
  const invoice = result as Partial<Invoice> | null;
  if (typeof invoice?.uuid === 'string' && typeof invoice.order_id === 'string') {
    return invoice as Invoice;
  }
  throw new ProviderError('the answer holds no invoice');
}

/** Returns Cryptomus' signature of a text: the MD5 of its Base64 followed by the key. */
export function cryptomusSign(text: string, key: string): string {
  return createHash('md5')
    .update(Buffer.from(text).toString('base64') + key)
    .digest('hex');
}

/** Escapes slashes as PHP does, which signs the callbacks. */
const withSlashes = (json: string) => json.replaceAll('/', '\\/');

/**
 * Returns the fields of a callback where its `sign` is that of all other fields, else null. The signature
 * covers the JSON without `sign`, serialized again, so its exact spelling is unknown. The three possible
 * spellings mean the same, so any of them is accepted.
 */
export function verifiedCallback(body: string, key: string): Record<string, unknown> | null {
  let fields: unknown;
  try {
    fields = JSON.parse(body);
  } catch {
    return null;
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return null;
  const { sign, ...others } = fields as Record<string, unknown>;
  if (typeof sign !== 'string' || !/^[0-9a-f]{32}$/.test(sign)) return null;
  const json = JSON.stringify(others);
  const asSent = body.trim().replace(new RegExp(`,\\s*"sign"\\s*:\\s*"${sign}"(?=\\s*}$)`), '');
  const isSigned = [asSent, withSlashes(json), json].some((text) =>
    timingSafeEqual(Buffer.from(cryptomusSign(text, key)), Buffer.from(sign)),
  );
  return isSigned ? others : null;
}
