/** Texts of the specification, word for word, that several of these screens show. */
export const PASSWORDS_DO_NOT_MATCH = 'Passwords do not match!';
export const NEW_EMAIL_REQUIRED =
  'A new email address is required to continue. Please provide a valid email.';
export const newCodeSent = (email: string) => `New code sent to ${email}.`;
