import { call, publicApi } from '../api.ts';

/** The literal that stands for the password when a code is to be sent again. */
const RESEND = 'nil';

type Purpose = 'login' | 'signup';

/** Sends a login code, when the password is right. */
export const requestLoginCode = (email: string, password: string) =>
  sendCode(email, 'login', password);

export const resendCode = (email: string, purpose: Purpose) => sendCode(email, purpose, RESEND);

export const requestSignup = (email: string, password: string) =>
  call(publicApi.users.signup.post({ email, password }));

export const verifySignup = (email: string, code: string) =>
  call(publicApi.users.verify.post({ email, email_token: Number(code) }));

export const login = (email: string, password: string, code: string) =>
  call(publicApi.users.login.post({ email, password, email_token: Number(code) }));

const sendCode = (email: string, purpose: Purpose, password: string) =>
  call(
    publicApi.users.send.email.no
      .auth({ p1: encodeURIComponent(email) })({ p2: purpose })
      .post({ password }),
  );
