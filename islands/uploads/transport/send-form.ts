import type { ErrorCode } from '../../../server/contract/failure.ts';
import { MINUTE, SECOND } from '../../../server/contract/limits.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import type { Access } from '../../../server/contract/wire.ts';
import { authHeader, sessionExpired } from '../../runtime/api.ts';
import { ApiError, errorText } from '../../runtime/api-error.ts';

/** A dead connection is noticed only by the lack of progress. */
const STALL_TIMEOUT_MS = MINUTE;

const noResponse = () => new ApiError(0, MESSAGES.unexpected);

/**
 * Posts a form and reports its progress, which `fetch` can't do. If the browser goes offline or there
 * is no progress for a minute, the request fails as if there were no response.
 * @param onSent called with the number of bytes of the body that were sent so far
 * @returns the parsed response. Throws ApiError, with status 0 if there was no response, or the
 * signal's reason
 */
export function sendForm<Answer>(
  path: string,
  form: FormData,
  { onSent, signal }: { onSent?: (bytes: number) => void; signal?: AbortSignal },
): Promise<Answer> {
  signal?.throwIfAborted();
  const { authorization } = authHeader();
  const request = new XMLHttpRequest();
  const done = new AbortController();
  const listen = { signal: done.signal };
  let stall: ReturnType<typeof setTimeout>;

  return new Promise<Answer>((resolve, reject) => {
    const fail = (reason: unknown) => {
      reject(reason);
      request.abort();
    };
    const restartStallTimer = () => {
      clearTimeout(stall);
      stall = setTimeout(() => fail(noResponse()), STALL_TIMEOUT_MS);
    };
    request.open('POST', path);
    request.setRequestHeader('authorization', authorization);
    request.upload.onprogress = ({ loaded }) => {
      restartStallTimer();
      onSent?.(loaded);
    };
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText));
      else reject(request.status === 401 ? sessionExpired() : failureOf(request));
    };
    request.onerror = () => reject(noResponse());
    signal?.addEventListener('abort', () => fail(signal.reason), listen);
    addEventListener('offline', () => fail(noResponse()), listen);
    restartStallTimer();
    request.send(form);
  }).finally(() => {
    clearTimeout(stall);
    done.abort();
  });
}

function failureOf(request: XMLHttpRequest): ApiError {
  const seconds = Number(request.getResponseHeader('retry-after') ?? Number.NaN);
  return new ApiError(request.status, errorText(request.responseText), {
    code: request.getResponseHeader('x-error-code') as ErrorCode | null,
    retryAfter: seconds > 0 ? seconds * SECOND : null,
  });
}

/** How an upload is stopped, and how it reports its progress. */
export type UploadCallbacks = {
  /** Aborted when the user stops the upload. */
  signal: AbortSignal;
  /** Called with the bytes of the file that were sent so far. */
  onSent: (bytes: number) => void;
  /** Called when the connection is lost. The upload resumes by itself. */
  onPause: () => void;
};

/** Where a file goes, and who can open it there. */
export type Destination = {
  access: Access;
  /** '' for the top. */
  folder: string;
  /** Whether it replaces the file of its name there. Otherwise it gets a number. */
  replace: boolean;
};

/** How an image or a video is stored. */
export type Keeping = {
  /** Whether its bytes are delivered as they are, so that its other options have no meaning. */
  isExact?: boolean;
};

/** Sets the fields that all uploads have in common. */
export function setDestination(form: FormData, { access, folder, replace }: Destination) {
  form.set('access', access);
  form.set('folder', folder);
  form.set('on_conflict', replace ? 'replace' : 'rename');
}

/** Returns the form value of a checkbox. */
export const yesOrEmpty = (checked: boolean) => (checked ? 'yes' : '');
