import { call, publicCall } from '../../runtime/api.ts';

export const getProfile = () => call('GET /users/profile');

/** Mails a code to the signed-in address; for a change of address to the new one. */
export const sendCode = (
  form:
    | { subject: 'delete-account' | 'delete-bucket' | 'change-password' }
    | { subject: 'change-email'; email: string },
) => call('POST /users/email', { form });

export const changeEmail = (email: string, code: string) =>
  call('PUT /users/email', { body: { email, email_token: Number(code) } });

export const undoEmailChange = (token: string) =>
  publicCall('POST /users/email/undo', { body: { token } });

export const getLoss = () => call('POST /users/empty');

export const deleteAccount = (code: string) =>
  call('DELETE /users', { body: { token: Number(code) } });

export const getSessions = async () => (await call('GET /users/sessions')).data;
export type SessionRow = Awaited<ReturnType<typeof getSessions>>[number];

export const endOtherSession = (id: string) =>
  call('DELETE /users/sessions/:id', { params: { id } });

export const endOtherSessions = () => call('DELETE /users/sessions');

/** Under which the answers of the profile's calls are kept. */
export const PROFILE_KEY = ['profile'];
export const SESSIONS_KEY = ['sessions'];
