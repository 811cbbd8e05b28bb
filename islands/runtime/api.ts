import { treaty } from '@elysiajs/eden';
import type { App } from '../../server/app.ts';
import { MESSAGES } from '../../server/contract/messages.ts';
import { ApiError, errorText } from './api-error.ts';
import { authHeader, sessionExpired } from './auth-header.ts';

/** Islands are rendered on the server too, where they call nothing. */
const origin = typeof location === 'undefined' ? 'http://localhost' : location.origin;

/** For calls that need no session. */
export const publicApi = treaty<App>(origin, { parseDate: false });

/** For calls as the signed-in user. */
export const api = treaty<App>(origin, {
  parseDate: false,
  onRequest: () => ({ headers: authHeader() }),
  onResponse: ({ status }) => {
    if (status === 401) sessionExpired();
  },
});

type Answer = { data: unknown; error: { status: unknown; value: unknown } | null };

/** What a call answered. Throws ApiFailure, with the server's own words where it has some. */
export async function call<Got extends Answer>(
  request: Promise<Got>,
): Promise<Exclude<Got['data'], null>> {
  const { data, error } = await request;
  if (!error) return data as Exclude<Got['data'], null>;
  if (error.value instanceof ApiError) throw error.value;
  if (error.value instanceof Error) throw new ApiError(0, MESSAGES.unexpected);
  throw new ApiError(Number(error.status), errorText(error.value));
}
