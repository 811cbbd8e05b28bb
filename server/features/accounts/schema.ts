import { t } from 'elysia';
import { EMAIL_MAX, PASSWORD_MAX, PASSWORD_MIN } from '../../contract/limits.ts';

const email = t.String({ minLength: 3, maxLength: EMAIL_MAX });
const newPassword = t.String({
  minLength: PASSWORD_MIN,
  maxLength: PASSWORD_MAX,
  error: `The password must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`,
});
/** Codes travel as numbers. */
const code = t.Integer({
  minimum: 100000,
  maximum: 999999,
  error: 'The code is a number of 6 digits.',
});

export const SignupBody = t.Object({ email, password: newPassword });
export const VerifyBody = t.Object({ email, email_token: code });
export const LoginBody = t.Object({
  email,
  password: t.String({ minLength: 1, maxLength: PASSWORD_MAX }),
  email_token: code,
});
export const SendCodeParams = t.Object({
  p1: email,
  p2: t.Union([t.Literal('login'), t.Literal('signup')], {
    error: 'The purpose must be login or signup.',
  }),
});
export const SendCodeBody = t.Object({
  password: t.String({ minLength: 1, maxLength: PASSWORD_MAX }),
});
export const SessionAnswer = t.Object({
  token: t.String(),
  userId: t.String(),
  exp: t.Integer(),
  email: t.String(),
});
