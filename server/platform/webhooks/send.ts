import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { retryAfterOf } from './schedule.ts';
import { AddressRefusedError, checkedAddresses, type Resolve } from './ssrf-policy.ts';
import { signedHeaders, type Target } from './target.ts';

const ERROR_TEXTS: Record<string, string> = {
  ABORT_ERR: 'The request timed out.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before a response arrived.',
  ENETUNREACH: 'The host cannot be reached.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENOTFOUND: 'The host was not found.',
  EAI_AGAIN: 'The host could not be looked up.',
};

/** The outcome of an attempt. `status` is null where no response came, and `text` says why. */
export type Outcome = { status: number | null; text: string; retryAfter: number | null };

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
    try {
      const url = new URL(target.url);
      const addresses = await abortable(checkedAddresses(url, options), limited);
      const now = clock();
      return await postToFirst(addresses, {
        url,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Wharf-Webhooks',
          ...signedHeaders(message, target.secrets, now),
        },
        body: message.body,
        signal: limited,
        now,
        ca: options.ca,
      });
    } catch (error) {
      signal.throwIfAborted();
      return { status: null, text: failureText(error), retryAfter: null };
    }
  };
}

/** Rejects when the signal aborts, because the system's resolver itself can't be aborted. */
function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Returns for the owner of the webhook why a request got no response, without addresses or a stack. */
function failureText(error: unknown): string {
  if (error instanceof AddressRefusedError) return error.message;
  const code = String((error as NodeJS.ErrnoException)?.code ?? '');
  const name = (error as Error)?.name;
  if (name === 'TimeoutError' || name === 'AbortError') return ERROR_TEXTS.ABORT_ERR ?? '';
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO/.test(code))
    return `The certificate is not valid: ${code}.`;
  if (code.startsWith('HPE_')) return 'The response was not HTTP.';
  return ERROR_TEXTS[code] ?? 'The request failed.';
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
/** Nothing has been sent when a connection fails with one of these. */
const NOT_CONNECTED = ['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL'];

/** Posts to the first of these addresses that accepts a connection. Rejects where no response comes. */
async function postToFirst(
  addresses: string[],
  webhookRequest: WebhookRequest,
): Promise<WebhookResponse> {
  for (const [index, address] of addresses.entries()) {
    try {
      return await postToOne(address, webhookRequest);
    } catch (error) {
      const next = NOT_CONNECTED.includes((error as NodeJS.ErrnoException).code ?? '');
      if (!next || index === addresses.length - 1) throw error;
    }
  }
  throw new Error('no address');
}

/**
 * Connects to `address`, whatever the host name resolves to by now; the Host header and the certificate use
 * the name. `fetch` is no alternative: it obeys HTTP_PROXY and decompresses responses.
 */
function postToOne(address: string, { url, headers, body, signal, now, ca }: WebhookRequest) {
  const secure = url.protocol === 'https:';
  const options: https.RequestOptions = {
    host: address,
    port: url.port || (secure ? 443 : 80),
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, 'content-length': String(Buffer.byteLength(body)), ...headers },
    agent: false,
    signal,
    ...(secure && {
      ca,
      ...(!isIP(url.hostname.replace(/[[\]]/g, '')) && { servername: url.hostname }),
    }),
  };
  return new Promise<WebhookResponse>((resolve, reject) => {
    const request = (secure ? https : http).request(options, (response) => {
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
