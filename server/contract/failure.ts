/** The machine-readable codes of errors, which responses have in the header `x-error-code`. */
export const ERROR_CODES = [
  'bad-amount',
  'bad-email',
  'bad-request',
  'bad-signature',
  'bad-token',
  'bad-transform',
  'bandwidth-limit',
  'banned',
  'bucket-full',
  'cannot-transform',
  'checksum-mismatch',
  'chunk-size',
  'code-required',
  'common-password',
  'conflict',
  'download-failed',
  'path-taken',
  'forbidden',
  'gone',
  'invalid',
  'missing-bucket-id',
  'need-tail',
  'no-file',
  'not-a-video',
  'not-configured',
  'not-found',
  'not-made',
  'not-ready',
  'other-version',
  'password-required',
  'payment-required',
  'provider-failed',
  'quota-exceeded',
  'range-outside',
  'ip-refused',
  'referrer-refused',
  'storage-full',
  'too-large',
  'too-many',
  'transforms-off',
  'type-refused',
  'unauthorized',
  'unavailable',
  'unexpected',
  'unreadable-video',
  'unsupported-type',
  'upgrade-required',
  'wrong-code',
  'wrong-credentials',
  'wrong-method',
  'wrong-password',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * Whether failed work is retried. `later`: a dependency is unavailable, so the work is retried
 * until the dependency is back. `limited`: the failure may be temporary, so the work is retried a
 * few times. `never`: the work would fail in the same way again. `background`: the work takes so
 * long that it would hold up others, so it is done in the background.
 */
export type Retry = 'later' | 'limited' | 'never' | 'background';

/**
 * An error that says whether to retry. Adapters and the media process translate the errors of their
 * libraries into this one. Any other error is unexpected, and its work is retried a few times.
 */
export class Failure extends Error {
  override name = 'Failure';
  readonly retry: Retry;
  /** Null for an error that is never part of a response. */
  readonly code: ErrorCode | null;

  constructor(
    message: string,
    { retry, code = null, ...options }: ErrorOptions & { retry: Retry; code?: ErrorCode | null },
  ) {
    super(message, options);
    this.retry = retry;
    this.code = code;
  }
}

/** Returns whether a retry is useless. The error's message is then a sentence for a person. */
export const isPermanent = (error: unknown): error is Failure =>
  error instanceof Failure && error.retry === 'never';
