import { type ErrorCode, Failure, type Retry } from './contract/failure.ts';

/** An error that becomes a response. `text` is for people, and `code` for programs. */
export class AppError extends Failure {
  override name = 'AppError';
  declare readonly code: ErrorCode;

  constructor(
    readonly status: number,
    code: ErrorCode,
    readonly text: string,
    readonly headers: Record<string, string> = {},
    { retry = 'limited', ...options }: ErrorOptions & { retry?: Retry } = {},
  ) {
    super(text, { ...options, code, retry });
  }
}

const retryHeader = (ms: number) => ({
  'retry-after': String(Math.max(1, Math.ceil(ms / 1000))),
});

export const badRequest = (text: string, code: ErrorCode = 'bad-request') =>
  new AppError(400, code, text);
export const invalid = (text: string, code: ErrorCode = 'invalid') => new AppError(422, code, text);
export const unauthorized = (text = 'Log in to continue.') =>
  new AppError(401, 'unauthorized', text, { 'www-authenticate': 'Bearer' });
export const paymentRequired = (text: string) => new AppError(402, 'payment-required', text);
export const forbidden = (text: string) => new AppError(403, 'forbidden', text);
/** The error where an account has reached one of its limits. */
export const quotaExceeded = (text: string) => new AppError(403, 'quota-exceeded', text);
export const notFound = (what: string) => new AppError(404, 'not-found', `${what} not found.`);
/** The error for a program that uses an unknown path or method. Browsers get a page instead. */
export const noSuchCall = (appUrl: string) =>
  new AppError(
    404,
    'not-found',
    `Unknown endpoint. Check the method and path; all calls are listed at ${appUrl}/docs.`,
  );
export const conflict = (text: string, code: ErrorCode = 'conflict') =>
  new AppError(409, code, text);
export const gone = (text: string) => new AppError(410, 'gone', text);
export const tooLarge = (text: string) => new AppError(413, 'too-large', text);
export const unsupportedType = (text: string) => new AppError(415, 'unsupported-type', text);
export const rangeOutside = (size: number) =>
  new AppError(416, 'range-outside', 'The range is outside the file.', {
    'content-range': `bytes */${size}`,
  });
export const tooMany = (text: string, retryAfter: number, code: ErrorCode = 'too-many') =>
  new AppError(429, code, text, retryHeader(retryAfter));
export const unavailable = (text: string, retryAfter: number) =>
  new AppError(503, 'unavailable', text, retryHeader(retryAfter));
/**
 * The error where a server that we depend on does not respond. `cause` is the original error for
 * the log. The request can be retried.
 */
export const upstreamUnavailable = (cause: unknown, text: string, retryAfter: number) =>
  new AppError(503, 'unavailable', text, retryHeader(retryAfter), { retry: 'later', cause });
export const isUnavailable = (error: unknown): error is AppError =>
  error instanceof AppError && error.retry === 'later';
export const storageFull = (cause?: unknown) =>
  new AppError(507, 'storage-full', 'The storage is full. Nothing was saved.', {}, { cause });

/**
 * Returns the response of an error: plain text for people, and the code for programs in a header.
 */
export function renderError(error: AppError): Response {
  return new Response(error.text, {
    status: error.status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-error-code': error.code,
      ...error.headers,
    },
  });
}
