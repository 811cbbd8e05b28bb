import { AppError, conflict, invalid } from '../../errors.ts';

/** The code is wrong, expired or used. */
export const wrongCode = () => invalid('That code is incorrect or has expired.', 'wrong-code');

/** The account is banned; only a caller who knows its password may learn that. */
export const accountBanned = () => new AppError(403, 'banned', 'This account is banned.');

/** The deletion of the account has started. */
export const accountBeingDeleted = () => conflict('This account is being deleted.');

/** The error is the same for an address without an account and for a wrong password. */
export const wrongCredentials = () =>
  new AppError(401, 'wrong-credentials', 'Incorrect email or password.');
