import { SECOND } from '../../contract/limits.ts';
import { AppError, upstreamUnavailable } from '../../errors.ts';

/** How long a provider may take to answer. */
export const PROVIDER_TIMEOUT_MS = 8 * SECOND;

export const noAnswer = () =>
  upstreamUnavailable(
    undefined,
    'The payment provider is not responding. Try again in a minute.',
    60 * SECOND,
  );

/** The provider said no: the operator's matter, so that the reason goes to the log alone. */
export class ProviderError extends AppError {
  constructor(reason: string) {
    super(502, 'provider-failed', 'The payment provider refused the payment.');
    this.name = 'ProviderFailed';
    this.message = reason;
  }
}

export const badSignature = () => new AppError(400, 'bad-signature', 'The signature is not valid.');
