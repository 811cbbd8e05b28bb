/** The machine's word for each failure, which answers carry as `x-error-code`. */
export type ErrorCode =
  | 'bad-amount'
  | 'bad-email'
  | 'bad-request'
  | 'bad-signature'
  | 'bad-token'
  | 'bad-transform'
  | 'banned'
  | 'cannot-transform'
  | 'checksum-mismatch'
  | 'chunk-size'
  | 'conflict'
  | 'forbidden'
  | 'gone'
  | 'invalid'
  | 'length-required'
  | 'missing-bucket-id'
  | 'need-tail'
  | 'no-file'
  | 'not-a-video'
  | 'not-configured'
  | 'not-found'
  | 'not-made'
  | 'not-ready'
  | 'other-version'
  | 'payment-required'
  | 'provider-failed'
  | 'range-outside'
  | 'storage-full'
  | 'too-large'
  | 'too-many'
  | 'transforms-off'
  | 'unauthorized'
  | 'unavailable'
  | 'unexpected'
  | 'unreadable-video'
  | 'unsupported-type'
  | 'upgrade-required'
  | 'wrong-code'
  | 'wrong-credentials'
  | 'wrong-method';

/**
 * When what failed may be done again. `later`: something that it depends on is away, so it is tried
 * however long that takes. `limited`: it may pass, so it is tried a few times. `never`: it would fail
 * in the same way.
 */
export type Retry = 'later' | 'limited' | 'never';

/**
 * A failure that says when to try again. Adapters and the media process translate what their
 * libraries throw into these; any other error is unexpected, and tried a few times.
 */
export class Failure extends Error {
  override name = 'Failure';
  readonly retry: Retry;
  /** Null where no caller is told of it. */
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

/** Whether doing it again is useless; the message then is a sentence for a person. */
export const isPermanent = (error: unknown): error is Failure =>
  error instanceof Failure && error.retry === 'never';
