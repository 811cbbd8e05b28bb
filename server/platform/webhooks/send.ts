import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { retryAfterOf } from './schedule.ts';
import { AddressRefusedError, checkedAddresses, type Resolve } from './ssrf-policy.ts';
import { signedHeaders, type Target } from './target.ts';

const KNOWN: Record<string, string> = {
  ABORT_ERR: 'The request timed out.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before a response arrived.',
  ENETUNREACH: 'The host cannot be reached.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENOTFOUND: 'The host was not found.',
  EAI_AGAIN: 'The host could not be looked up.',
};

/** How an attempt went. `status` is null where no answer came; `text` then says why. */
export type Outcome = { status: number | null; text: string; retryAfter: number | null };

/** One attempt to deliver. Rejects only when `signal` aborts: nothing is known then. */
export type Send = (
  target: Target,
  message: { id: string; body: string },
  signal: AbortSignal,
) => Promise<Outcome>;

const TIMEOUT = 15 * SECOND;

export function createSend(options: {
  clock: Clock;
  allowPrivate: boolean;
  resolve: Resolve;
  ca?: string;
  timeout?: number;
}): Send {
  const { clock, timeout = TIMEOUT } = options;
  return async (target, message, signal) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
    try {
      const url = new URL(target.url);
      const addresses = await inTime(checkedAddresses(url, options), limited);
      const now = clock();
      return await postTo(addresses, {
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

/** The system's resolver can't be aborted. */
function inTime<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Why a request got no answer, for the owner of the webhook: no addresses, no stack. */
function failureText(error: unknown): string {
  if (error instanceof AddressRefusedError) return error.message;
  const code = String((error as NodeJS.ErrnoException)?.code ?? '');
  const name = (error as Error)?.name;
  if (name === 'TimeoutError' || name === 'AbortError') return KNOWN.ABORT_ERR ?? '';
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO/.test(code))
    return `The certificate is not valid: ${code}.`;
  if (code.startsWith('HPE_')) return 'The response was not HTTP.';
  return KNOWN[code] ?? 'The request failed.';
}

/** What an endpoint answered: as much of its body as is worth keeping. */
type Answer = {
  status: number;
  text: string;
  /** Milliseconds to wait that the endpoint asked for. */
  retryAfter: number | null;
};

type Post = {
  url: URL;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
  /** Epoch milliseconds. */
  now: number;
  /** Certificates to trust in place of the system's, PEM. */
  ca?: string;
};

const ANSWER_BYTES = 1024;
/** Nothing has been sent when one of these ends a connection. */
const NOT_CONNECTED = ['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL'];

/** Posts to the first of these addresses that can be connected to. Rejects where no answer comes. */
async function postTo(addresses: string[], post: Post): Promise<Answer> {
  for (const [index, address] of addresses.entries()) {
    try {
      return await postToOne(address, post);
    } catch (error) {
      const next = NOT_CONNECTED.includes((error as NodeJS.ErrnoException).code ?? '');
      if (!next || index === addresses.length - 1) throw error;
    }
  }
  throw new Error('no address');
}

/**
 * The connection goes to `address`, whatever the name may lead to by now; the name is what the Host
 * header and the certificate are about. Not by `fetch`: that obeys HTTP_PROXY, and unpacks answers.
 */
function postToOne(address: string, { url, headers, body, signal, now, ca }: Post) {
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
  return new Promise<Answer>((resolve, reject) => {
    const request = (secure ? https : http).request(options, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const answer = () =>
        resolve({
          status: response.statusCode ?? 0,
          text: plain(Buffer.concat(parts).subarray(0, ANSWER_BYTES)),
          retryAfter: retryAfterOf(response.headers['retry-after'], now),
        });
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes < ANSWER_BYTES) return;
        answer();
        request.destroy();
      });
      response.on('end', answer);
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

/** Text of one line that a page or a database can hold: no control characters. */
const plain = (bytes: Buffer) =>
  bytes
    .toString('utf8')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
