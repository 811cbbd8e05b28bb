import { call, publicCall } from '../runtime/api.ts';

/** The literal that stands for the password when a code is to be sent again. */
const RESEND = 'nil';

export type Purpose = 'login' | 'signup' | 'recovery';

/** Sends a login code, when the password is right. */
export const requestLoginCode = (email: string, password: string) =>
  sendCode(email, 'login', password);

export const resendCode = (email: string, purpose: Purpose) => sendCode(email, purpose, RESEND);

/** A recovery has no password yet: its first code is asked for like any other one again. */
export const requestRecovery = (email: string) => resendCode(email, 'recovery');

export const requestSignup = (email: string, password: string) =>
  publicCall('POST /users/signup', { body: { email, password } });

/** Finishes the signup or the recovery that this browser has open for the address. */
export const verify = (email: string, code: string) =>
  publicCall('POST /users/verify', { body: { email, email_token: Number(code) } });

export const login = (email: string, password: string, code: string) =>
  publicCall('POST /users/login', { body: { email, password, email_token: Number(code) } });

/** `code` is not needed in the first minutes after a recovery. */
export const updatePassword = ({ password, code }: { password: string; code?: string }) =>
  call('PUT /users/update/password', {
    body: { password, ...(code !== undefined && { email_token: Number(code) }) },
  });

/** What a code confirms for somebody who is logged in. */
export type Confirmation = 'change-email' | 'change-password' | 'delete-account' | 'delete-bucket';

/** Why the last code mail could not be delivered; null where nothing is known to be wrong. */
export const mailFailure = async (email: string, purpose: Purpose | Confirmation) =>
  (await publicCall('GET /users/mail/status', { query: { email, purpose } })).failed;

const sendCode = (email: string, purpose: Purpose, password: string) =>
  publicCall('POST /users/send/email/no/auth/:p1/:p2', {
    params: { p1: email, p2: purpose },
    body: { password },
  });
