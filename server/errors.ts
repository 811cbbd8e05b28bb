/** The catalogue of failures. `text` is for a person, `code` for a program. */
export class AppError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly text: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(text);
    this.name = 'AppError';
  }
}

const seconds = (ms: number) => String(Math.max(1, Math.ceil(ms / 1000)));

export const badRequest = (text: string, code = 'bad-request') => new AppError(400, code, text);
export const invalid = (text: string, code = 'invalid') => new AppError(422, code, text);
export const unauthorized = (text = 'Log in to continue.') =>
  new AppError(401, 'unauthorized', text, { 'www-authenticate': 'Bearer' });
export const paymentRequired = (text: string) => new AppError(402, 'payment-required', text);
export const forbidden = (text: string) => new AppError(403, 'forbidden', text);
export const notFound = (what: string) => new AppError(404, 'not-found', `${what} not found.`);
/** What a program asked for that has taken a wrong path or method; people see a page instead. */
export const noSuchCall = (appUrl: string) =>
  new AppError(
    404,
    'not-found',
    `There is no such call: look at its method and path. All calls are listed at ${appUrl}/docs.`,
  );
export const conflict = (text: string, code = 'conflict') => new AppError(409, code, text);
export const gone = (text: string) => new AppError(410, 'gone', text);
export const tooLarge = (text: string) => new AppError(413, 'too-large', text);
export const unsupportedType = (text: string) => new AppError(415, 'unsupported-type', text);
export const rangeOutside = (size: number) =>
  new AppError(416, 'range-outside', 'The range lies outside of the file.', {
    'content-range': `bytes */${size}`,
  });
export const tooMany = (text: string, retryAfter: number) =>
  new AppError(429, 'too-many', text, { 'retry-after': seconds(retryAfter) });
export const unavailable = (text: string, retryAfter: number) =>
  new AppError(503, 'unavailable', text, { 'retry-after': seconds(retryAfter) });
/** A server behind us does not answer: what failed is the cause. Whatever it was may be done again. */
export function upstreamUnavailable(cause: unknown, text: string, retryAfter: number): AppError {
  const failure = unavailable(text, retryAfter);
  failure.cause = cause;
  return failure;
}
export const isUnavailable = (error: unknown): error is AppError =>
  error instanceof AppError && error.status === 503 && error.cause !== undefined;
export const storageFull = () =>
  new AppError(507, 'storage-full', 'The storage is full. Nothing was saved.');

/** Plain text for a person, the machine's code in a header, never a stack. */
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
