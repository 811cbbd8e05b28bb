import { OperatorError } from '../../config/operator-error.ts';

export const USAGE =
  'Usage: admin credit ADDRESS USD [--id ID], or admin ban, unban or reset-password ADDRESS, or admin confirm-clock';

/** Returns the error for an address that no account has. */
export const nobody = (address: string) => new OperatorError(`No account found for ${address}.`);
