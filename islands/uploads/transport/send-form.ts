import type { ErrorCode } from '../../../server/contract/failure.ts';
import { MINUTE, SECOND } from '../../../server/contract/limits.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { authHeader, sessionExpired } from '../../runtime/api.ts';
import { ApiError, errorText } from '../../runtime/api-error.ts';

/** A connection that dies without a word looks like one on which nothing moves. */
const STALLED = MINUTE;

const lost = () => new ApiError(0, MESSAGES.unexpected);

/**
 * Posts a form and tells how much of it has left: `fetch` can't. Going offline, or a minute in
 * which nothing moves, ends it as if no answer came.
 * @param onSent called with the bytes sent so far, of the body as a whole
 * @returns the parsed answer. Throws ApiFailure, its status 0 when no answer came, or the signal's
 * reason
 */
export function sendForm<Answer>(
  path: string,
  form: FormData,
  { onSent, signal }: { onSent?: (bytes: number) => void; signal?: AbortSignal },
): Promise<Answer> {
  signal?.throwIfAborted();
  const { authorization } = authHeader();
  const request = new XMLHttpRequest();
  const ended = new AbortController();
  const listen = { signal: ended.signal };
  let stall: ReturnType<typeof setTimeout>;

  return new Promise<Answer>((resolve, reject) => {
    const giveUp = (reason: unknown) => {
      reject(reason);
      request.abort();
    };
    const moved = () => {
      clearTimeout(stall);
      stall = setTimeout(() => giveUp(lost()), STALLED);
    };
    request.open('POST', path);
    request.setRequestHeader('authorization', authorization);
    request.upload.onprogress = ({ loaded }) => {
      moved();
      onSent?.(loaded);
    };
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText));
      else reject(request.status === 401 ? sessionExpired() : failureOf(request));
    };
    request.onerror = () => reject(lost());
    signal?.addEventListener('abort', () => giveUp(signal.reason), listen);
    addEventListener('offline', () => giveUp(lost()), listen);
    moved();
    request.send(form);
  }).finally(() => {
    clearTimeout(stall);
    ended.abort();
  });
}

function failureOf(request: XMLHttpRequest): ApiError {
  const seconds = Number(request.getResponseHeader('retry-after') ?? Number.NaN);
  return new ApiError(request.status, errorText(request.responseText), {
    code: request.getResponseHeader('x-error-code') as ErrorCode | null,
    retryAfter: seconds > 0 ? seconds * SECOND : null,
  });
}

/** What an upload is told, and tells, on its way. */
export type UploadCallbacks = {
  /** Aborted by whoever stops it. */
  signal: AbortSignal;
  /** Bytes of the file that have left so far. */
  onSent: (bytes: number) => void;
  /** No answer came. It goes on by itself. */
  onPause: () => void;
};

/** What a form sends for a checkbox. */
export const yesOrEmpty = (checked: boolean) => (checked ? 'yes' : '');
