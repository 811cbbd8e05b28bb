/** A job that ends without a result. `reason` is a short sentence for the user. */
export class MediaFailure extends Error {
  override name = 'MediaFailure';

  /** `permanent`: the same bytes would fail again, so the job must not be retried. */
  constructor(
    readonly reason: string,
    readonly permanent: boolean,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

/** This file will never work. */
export const permanentFailure = (reason: string, cause?: unknown) =>
  new MediaFailure(reason, true, { cause });
/** Not the file's fault: trying again later may work. */
export const temporaryFailure = (reason: string, cause?: unknown) =>
  new MediaFailure(reason, false, { cause });
