import { AppError, conflict, invalid } from '../../errors.ts';

export const wrongCode = () => invalid('The code is wrong or no longer good.', 'wrong-code');

export const accountBanned = () => new AppError(403, 'banned', 'This account is banned.');

export const accountBeingDeleted = () => conflict('The account is being deleted.');

export const wrongCredentials = () =>
  new AppError(401, 'wrong-credentials', 'The email or the password is wrong.');
