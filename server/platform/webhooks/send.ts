import { SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { abortable } from '../outbound/abortable.ts';
import { requestTo, tryAddresses } from '../outbound/connection.ts';
import { failureText } from '../outbound/failure-text.ts';
import { checkedAddresses, type Resolve } from '../outbound/ssrf-policy.ts';
import { retryAfterOf } from './schedule.ts';
import { signedHeaders, type Target } from './target.ts';

/** What was sent, beside the body. */
export type SentRequest = { url: string; headers: Record<string, string> };

/**
 * The outcome of an attempt. `status` is null where no response came, and `text` says why. `request` is null where
 * nothing was sent, because the address is refused or unknown.
 */
export type Outcome = {
  status: number | null;
  text: string;
  retryAfter: number | null;
  request: SentRequest | null;
};

/** Makes one attempt to deliver. Rejects only when `signal` aborts, and then the outcome is unknown. */
export type Send = (
  target: Target,
  message: { id: string; body: string },
  signal: AbortSignal,
) => Promise<Outcome>;

const DEFAULT_TIMEOUT_MS = 15 * SECOND;

export function createSend(options: {
  clock: Clock;
  allowPrivate: boolean;
  resolve: Resolve;
  ca?: string;
  timeout?: number;
}): Send {
  const { clock, timeout = DEFAULT_TIMEOUT_MS } = options;
  return async (target, message, signal) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
    let request: SentRequest | null = null;
    try {
      const url = new URL(target.url);
      const addresses = await abortable(checkedAddresses(url, options), limited);
      const now = clock();
      const { body } = message;
      const headers = {
        host: url.host,
        'content-length': String(Buffer.byteLength(body)),
        'content-type': 'application/json',
        'user-agent': 'Wharf-Webhooks',
        ...signedHeaders(message, target.secrets, now),
      };
      request = { url: target.url, headers };
      const ca = options.ca && { ca: options.ca };
      const post = { url, headers, body, signal: limited, now, ...ca };
      return { ...(await tryAddresses(addresses, (address) => postTo(address, post))), request };
    } catch (error) {
      signal.throwIfAborted();
      return { status: null, text: failureText(error), retryAfter: null, request };
    }
  };
}

/** The response of an endpoint, with the beginning of its body. */
type WebhookResponse = {
  status: number;
  text: string;
  /** The time to wait that the endpoint requested, in milliseconds. */
  retryAfter: number | null;
};

type WebhookRequest = {
  url: URL;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
  /** In epoch milliseconds. */
  now: number;
  /** Certificates in PEM to trust instead of the system's. */
  ca?: string;
};

const MAX_ANSWER_BYTES = 1024;
/** Posts to an address, and returns the response with the beginning of its body. Rejects where none comes. */
function postTo(address: string, { url, body, now, ...options }: WebhookRequest) {
  return new Promise<WebhookResponse>((resolve, reject) => {
    const request = requestTo(address, url, { ...options, method: 'POST' });
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const finish = () =>
        resolve({
          status: response.statusCode ?? 0,
          text: toPlainText(Buffer.concat(parts).subarray(0, MAX_ANSWER_BYTES)),
          retryAfter: retryAfterOf(response.headers['retry-after'], now),
        });
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes < MAX_ANSWER_BYTES) return;
        finish();
        request.destroy();
      });
      response.on('end', finish);
      response.on('error', reject);
    });
    request.on('upgrade', (response, socket) => {
      resolve({ status: response.statusCode ?? 101, text: '', retryAfter: null });
      socket.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Returns a text of one line without control characters, which a page and a database can hold. */
const toPlainText = (bytes: Buffer) =>
  bytes
    .toString('utf8')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
