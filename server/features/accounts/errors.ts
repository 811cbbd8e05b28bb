import { AppError, conflict, invalid } from '../../errors.ts';

/** The code is wrong, expired or used. */
export const wrongCode = () => invalid('That code is incorrect or has expired.', 'wrong-code');

/** The password is right, but the browser is not trusted, so that a mailed code has to follow. */
export const codeRequired = () =>
  new AppError(403, 'code-required', 'Enter the code that we email you.');

/** The password was last entered too long ago for a sensitive action. */
export const passwordRequired = () =>
  new AppError(403, 'password-required', 'Confirm your password to continue.');

/** The password is among the first that anybody would guess. */
export const commonPassword = () =>
  invalid(
    'This password is one of the most common ones and easy to guess. Choose another.',
    'common-password',
  );

/** The session's user entered another password. The session goes on, so this is no 401. */
export const wrongPassword = () => invalid('Incorrect password.', 'wrong-password');

/** The account is banned; only a caller who knows its password may learn that. */
export const accountBanned = () => new AppError(403, 'banned', 'This account is banned.');

/** The deletion of the account has started. */
export const accountBeingDeleted = () => conflict('This account is being deleted.');

/** The error is the same for an address without an account and for a wrong password. */
export const wrongCredentials = () =>
  new AppError(401, 'wrong-credentials', 'Incorrect email or password.');
