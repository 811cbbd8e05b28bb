import { SECOND } from '../../contract/limits.ts';
import { AppError, unavailable } from '../../errors.ts';

/** How long a provider may take to answer. */
export const ANSWER_WITHIN = 8 * SECOND;

export const noAnswer = () =>
  unavailable('The payment provider does not answer. Try again in a minute.', 60 * SECOND);
export const isNoAnswer = (error: unknown) => error instanceof AppError && error.status === 503;

/** The same failure of a payment that has not begun: only then it is known that nobody has paid. */
export const notCharged = ({ status, code, text, headers }: AppError) =>
  new AppError(status, code, `${text} Nothing was charged.`, headers);

/** The provider said no: the operator's matter, so that the reason goes to the log alone. */
export class ProviderFailed extends AppError {
  constructor(reason: string) {
    super(502, 'provider-failed', 'The payment provider refused.');
    this.name = 'ProviderFailed';
    this.message = reason;
  }
}

export const badSignature = () =>
  new AppError(400, 'bad-signature', 'The signature of this message is not good.');
