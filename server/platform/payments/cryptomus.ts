import { createHash, timingSafeEqual } from 'node:crypto';
import { HOUR, SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { dollars, type Invoice, toProviderPayment } from './cryptomus-payment.ts';
import {
  badSignature,
  type Checkout,
  type Notice,
  noAnswer,
  type Opened,
  type PaymentProvider,
  PROVIDER_TIMEOUT_MS,
  ProviderError,
  type ProviderPayment,
} from './port.ts';

const INVOICE_TTL_MS = HOUR;

/** With one status or another: of an invoice that was never made. */
const UNKNOWN = 'Payment was not found';

type Answer = { state?: unknown; result?: unknown; message?: unknown };

type CryptomusOptions = {
  merchant: string;
  paymentKey: string;
  apiBase: string;
  appUrl: string;
  clock: Clock;
};

/** Coins, on the page of Cryptomus. The invoice's `order_id` is the payment's id. */
export class CryptomusProvider implements PaymentProvider {
  readonly name = 'cryptomus';
  private readonly options: CryptomusOptions;

  constructor(options: CryptomusOptions) {
    this.options = options;
  }

  async open({ paymentId, amount }: Checkout): Promise<Opened> {
    const { appUrl, clock } = this.options;
    const invoice = await this.call('/v1/payment', {
      amount: dollars(amount),
      currency: 'USD',
      order_id: paymentId,
      url_return: `${appUrl}/billing`,
      url_success: `${appUrl}/billing`,
      url_callback: `${appUrl}/payments/crypto/webhook`,
      is_payment_multiple: true,
      lifetime: INVOICE_TTL_MS / SECOND,
    });
    const url = invoice?.url;
    if (!invoice || typeof url !== 'string' || !/^https?:/.test(url)) {
      throw new ProviderError('the invoice has no URL');
    }
    return { checkoutId: invoice.uuid, url, expiresAt: clock() + INVOICE_TTL_MS };
  }

  async truth(paymentId: string): Promise<ProviderPayment | null> {
    const invoice = await this.call('/v1/payment/info', { order_id: paymentId });
    return invoice?.order_id === paymentId ? toProviderPayment(invoice) : null;
  }

  async notice(body: string): Promise<Notice | null> {
    const fields = verifiedCallback(body, this.options.paymentKey);
    if (!fields) throw badSignature();
    const { type, order_id: paymentId, uuid } = fields;
    if (type !== 'payment' || typeof paymentId !== 'string') return null;
    return { paymentId, checkoutId: typeof uuid === 'string' ? uuid : null, isReversal: true };
  }

  /** The invoice that a call answers with; null where there is none of that payment. */
  private async call(path: string, fields: object): Promise<Invoice | null> {
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
        throw noAnswer();
      });
    if (status >= 500 || status === 429) throw noAnswer();
    const answer = answerOf(text);
    if (status === 404 || answer?.message === UNKNOWN) return null;
    if (status !== 200 || answer?.state !== 0) throw new ProviderError(`status ${status}`);
    return invoiceOf(answer.result);
  }
}

function answerOf(text: string): Answer | null {
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

/** Cryptomus' signature of a text: MD5 of its Base64 with the key behind it. */
export function cryptomusSign(text: string, key: string): string {
  return createHash('md5')
    .update(Buffer.from(text).toString('base64') + key)
    .digest('hex');
}

/** How PHP, which signs there, writes a slash. */
const withSlashes = (json: string) => json.replaceAll('/', '\\/');

/**
 * The callback's fields where its `sign` is that of all the others; else null. What was signed is
 * not what was sent: the sender's JSON, without `sign`, written once more. The three spellings
 * that this may have had say the same, so that any of them will do.
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
