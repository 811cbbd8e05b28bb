import { Failure, type Retry } from '../server/contract/failure.ts';

/** A job that ends without a result. The message is a short sentence for the user. */
export class MediaFailure extends Failure {
  override name = 'MediaFailure';

  constructor(reason: string, retry: Retry, options?: ErrorOptions) {
    super(reason, { ...options, retry });
  }
}

/** This file will never work: the same bytes would fail again. */
export const permanentFailure = (reason: string, cause?: unknown) =>
  new MediaFailure(reason, 'never', { cause });
/** Not the file's fault: trying again later may work. */
export const temporaryFailure = (reason: string, cause?: unknown) =>
  new MediaFailure(reason, 'limited', { cause });
