import { MESSAGES } from '../../../server/contract/messages.ts';
import { api, call, publicApi } from '../../runtime/api.ts';
import { ApiError, errorText } from '../../runtime/api-error.ts';
import { authHeader, sessionExpired } from '../../runtime/auth-header.ts';

export const getProfile = () => call(api.users.profile.get());

/** Mails a code to the signed-in address; for a change of address to the new one. */
export const sendCode = (
  form:
    | { subject: 'delete-account' | 'delete-bucket' | 'change-password' }
    | { subject: 'change-email'; email: string },
) => postForm('/users/email', form);

export const changeEmail = (email: string, code: string) =>
  call(api.users.email.put({ email, email_token: Number(code) }));

export const undoEmailChange = (token: string) => call(publicApi.users.email.undo.post({ token }));

/** `code` is not needed in the first minutes after a recovery. */
export const updatePassword = ({ password, code }: { password: string; code?: string }) =>
  call(
    api.users.update.password.put({
      password,
      ...(code !== undefined && { email_token: Number(code) }),
    }),
  );

export const getLoss = () => call(api.users.empty.post());

export const deleteAccount = (code: string) => call(api.users.delete({ token: Number(code) }));

export const getSessions = async () => (await call(api.users.sessions.get())).data;
export type SessionRow = Awaited<ReturnType<typeof getSessions>>[number];

export const endOtherSession = (id: string) => call(api.users.sessions({ id }).delete());

export const endOtherSessions = () => call(api.users.sessions.delete());

/** The typed client sends a form only where there is a file in it. */
async function postForm(path: string, fields: Record<string, string>) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const answer = await fetch(path, { method: 'POST', headers: authHeader(), body }).catch(() => {
    throw new ApiError(0, MESSAGES.unexpected);
  });
  if (answer.status === 401) throw sessionExpired();
  if (!answer.ok) throw new ApiError(answer.status, errorText(await answer.text()));
}
