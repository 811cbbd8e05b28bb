import { SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { postTo } from './request.ts';
import type { Target } from './resolve-target.ts';
import { signedHeaders } from './signature.ts';
import { AddressRefusedError, checkedAddresses, type Resolve } from './ssrf-policy.ts';

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
