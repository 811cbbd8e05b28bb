import { AppError } from '../../../errors.ts';

/** The same failure of a payment that has not begun: only then is it known that nobody has paid. */
export const notCharged = ({ status, code, text, headers, retry }: AppError): AppError =>
  new AppError(status, code, `${text} Nothing was charged.`, headers, { retry });
