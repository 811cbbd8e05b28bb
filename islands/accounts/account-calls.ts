import type { QueryClient } from '@tanstack/react-query';
import { call, publicCall } from '../runtime/api.ts';
import { ApiError } from '../runtime/api-error.ts';

/** The literal that the server takes in place of the password when a code is to be sent again. */
const RESEND = 'nil';

/** What a code is for while nobody is logged in. */
export type Purpose = 'login' | 'signup' | 'recovery';

/** What a code confirms for a user who is logged in. */
export type Confirmation = 'change-email' | 'change-password' | 'delete-account' | 'delete-bucket';

/** Mails a login code if the password is right. */
export const requestLoginCode = (email: string, password: string) =>
  sendCode(email, 'login', password);

export const resendCode = (email: string, purpose: Purpose) => sendCode(email, purpose, RESEND);

/** Mails the first recovery code. There is no password to send, as with a repeated code. */
export const requestRecovery = (email: string) => resendCode(email, 'recovery');

export const requestSignup = (email: string, password: string) =>
  publicCall('POST /users/signup', { body: { email, password } });

/** Finishes the signup or the recovery that this browser has started for the address. */
export const verify = (email: string, code: string) =>
  publicCall('POST /users/verify', { body: { email, email_token: Number(code) } });

export const login = (form: { email: string; password: string; code: string; trust: boolean }) =>
  publicCall('POST /users/login', {
    body: {
      ...{ email: form.email, password: form.password, email_token: Number(form.code) },
      ...(form.trust && { trust_browser: true }),
    },
  });

/** Logs in without a code; null where this browser is not trusted, so that one is needed. */
export const loginTrusted = (email: string, password: string) =>
  publicCall('POST /users/login/trusted', { body: { email, password } }).catch((error) => {
    if (error instanceof ApiError && error.details.code === 'code-required') return null;
    throw error;
  });

/** Sets a new password. The server needs no `code` in the first minutes after a recovery. */
export const updatePassword = ({ password, code }: { password: string; code?: string }) =>
  call('PUT /users/update/password', {
    body: { password, ...(code !== undefined && { email_token: Number(code) }) },
  });

/** Confirms the password for the calls that ask for it, for the next minutes. */
export const confirmPassword = (password: string) =>
  call('POST /users/confirm/password', { body: { password } });

/** Returns why the last mail with a code could not be delivered, or null if no failure is known. */
export const mailFailure = async (email: string, purpose: Purpose | Confirmation) =>
  (await publicCall('GET /users/mail/status', { query: { email, purpose } })).failed;

const sendCode = (email: string, purpose: Purpose, password: string) =>
  publicCall('POST /users/send/email/no/auth/:p1/:p2', {
    params: { p1: email, p2: purpose },
    body: { password },
  });

export const getProfile = () => call('GET /users/profile');

/** Mails a code to the signed-in user, or to the new address if the address is to change. */
export const sendConfirmationCode = (
  form:
    | { subject: 'delete-account' | 'change-password' }
    | { subject: 'delete-bucket'; bucket_id: string }
    | { subject: 'change-email'; email: string },
) => call('POST /users/email', { form });

export const changeEmail = (email: string, code: string) =>
  call('PUT /users/email', { body: { email, email_token: Number(code) } });

export const undoEmailChange = (token: string) =>
  publicCall('POST /users/email/undo', { body: { token } });

/** Returns what deleting the account would delete with it. */
export const getDeletionImpact = () => call('POST /users/empty');

export const deleteAccount = (code: string) =>
  call('DELETE /users', { body: { token: Number(code) } });

export const getSessions = async () => (await call('GET /users/sessions')).data;
export type SessionRow = Awaited<ReturnType<typeof getSessions>>[number];

export const getLogins = async () => (await call('GET /users/logins')).data;
export type LoginRow = Awaited<ReturnType<typeof getLogins>>[number];

export const endOtherSession = (id: string) =>
  call('DELETE /users/sessions/:id', { params: { id } });

export const endOtherSessions = () => call('DELETE /users/sessions');

export const getTrustedBrowsers = async () => (await call('GET /users/trusted-browsers')).data;
export type TrustedBrowserRow = Awaited<ReturnType<typeof getTrustedBrowsers>>[number];

export const removeTrustedBrowser = (id: string) =>
  call('DELETE /users/trusted-browsers/:id', { params: { id } });

/** The query keys of the calls above. */
export const PROFILE_KEY = ['profile'];
export const SESSIONS_KEY = ['sessions'];
export const LOGINS_KEY = ['logins'];
export const TRUSTED_BROWSERS_KEY = ['trusted-browsers'];

/** Loads again where the account is and was logged in, and which browsers it trusts. */
export const reloadSecurity = (client: QueryClient) =>
  Promise.all(
    [SESSIONS_KEY, LOGINS_KEY, TRUSTED_BROWSERS_KEY].map((queryKey) =>
      client.invalidateQueries({ queryKey }),
    ),
  );
