import { t } from 'elysia';
import { EMAIL_MAX, PASSWORD_MAX, PASSWORD_MIN } from '../limits.ts';
import { oneOf } from './fields.ts';

const email = t.String({
  minLength: 3,
  maxLength: EMAIL_MAX,
  error: 'email is missing or not valid.',
});
const newPassword = t.String({
  minLength: PASSWORD_MIN,
  maxLength: PASSWORD_MAX,
  error: `The password must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`,
});
const password = t.String({ minLength: 1, maxLength: PASSWORD_MAX });
/**
 * A mailed code, which the API takes as a number. Codes start at 100000, but what was typed wrongly may
 * start with zeros, and must get the response and count the try of any other wrong code.
 */
export const code = t.Integer({
  minimum: 0,
  maximum: 999999,
  error: 'The code must be a 6-digit number.',
});
const PURPOSES = ['login', 'signup', 'recovery'] as const;
const purpose = oneOf(PURPOSES, { error: 'The purpose must be login, signup or recovery.' });

/** The purpose of any mailed code. */
const anyPurpose = oneOf(
  [...PURPOSES, 'change-email', 'change-password', 'delete-account', 'delete-bucket'],
  { error: 'The purpose is not valid.' },
);

export const SignupBody = t.Object({ email, password: newPassword });
export const VerifyBody = t.Object({ email, email_token: code });
export const LoginBody = t.Object({ email, password, email_token: code });
export const SendCodeParams = t.Object({ p1: email, p2: purpose });
export const SendCodeBody = t.Object({ password });
export const MailStatusQuery = t.Object({ email, purpose: anyPurpose });
export const MailStatusResponse = t.Object({ failed: t.Nullable(t.String()) });
/**
 * A new session. The pages keep it in local storage under `auth`, with `token` renamed to `access`.
 */
export const SessionResponse = t.Object({
  token: t.String(),
  userId: t.String(),
  // The expiry in epoch seconds.
  exp: t.Integer(),
  email: t.String(),
});

export const ProfileResponse = t.Object({ email: t.String() });
export const RequestCodeBody = t.Object(
  {
    subject: oneOf(['delete-account', 'delete-bucket', 'change-password', 'change-email'], {
      error: 'subject must be delete-account, delete-bucket, change-password or change-email.',
    }),
    email: t.Optional(email),
    // For delete-bucket: the code deletes no other bucket.
    bucket_id: t.Optional(t.String()),
  },
  { contentType: 'multipart/form-data' },
);
export const ChangeEmailBody = t.Object({ email, email_token: code });
export const UndoBody = t.Object({
  token: t.String({ pattern: '^[A-Za-z0-9_-]{43}$', error: 'The link is incomplete.' }),
});
export const ChangePasswordBody = t.Object({
  password: newPassword,
  email_token: t.Optional(code),
});
export const ConfirmPasswordBody = t.Object({ password });
export const ContentsResponse = t.Object({
  empty: t.Boolean(),
  buckets: t.Integer(),
  files: t.Integer(),
  bytes: t.Integer(),
});
export const DeleteAccountBody = t.Object({ token: code });
export const SessionListResponse = t.Object({
  data: t.Array(
    t.Object({
      id: t.String(),
      device: t.String(),
      address: t.String(),
      date: t.String(),
      last_seen: t.String(),
      current: t.Boolean(),
    }),
  ),
});
