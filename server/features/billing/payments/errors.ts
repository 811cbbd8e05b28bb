import { AppError } from '../../../errors.ts';

/** What the port throws where the provider does not answer, and with it none of its payments can be asked about. */
export const isProviderUnavailable = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'unavailable';

/** The same failure of a payment that has not begun: only then is it known that nobody has paid. */
export const notCharged = ({ status, code, text, headers }: AppError): AppError =>
  new AppError(status, code, `${text} Nothing was charged.`, headers);
