import type { CallAnswer, CallArguments, CallName } from '../../server/contract/calls.ts';
import { MESSAGES } from '../../server/contract/messages.ts';
import { ApiError, errorText } from './api-error.ts';
import { auth, logout } from './auth.ts';
import { setFlashMessage } from './flash-message.ts';
import { endSession, isExpired, isSessionEnding } from './session.ts';

/**
 * Makes a call as the signed-in user and returns what it answered. Throws ApiError, with the server's
 * own words where it has some.
 */
export async function call<Name extends CallName>(
  name: Name,
  ...[input]: CallArguments<Name>
): Promise<CallAnswer<Name>> {
  return send(name, input as Input, authHeader(), sessionExpired);
}

/** Makes a call that needs no session. Throws ApiError. */
export async function publicCall<Name extends CallName>(
  name: Name,
  ...[input]: CallArguments<Name>
): Promise<CallAnswer<Name>> {
  return send(name, input as Input);
}

/** What any call is given; `call` has checked which parts are this one's. */
type Input = {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  form?: Record<string, string>;
};

async function send<Answer>(
  name: string,
  { params = {}, query = {}, body, form }: Input = {},
  authorization: Record<string, string> = {},
  onUnauthorized?: () => void,
): Promise<Answer> {
  const [method = '', path = ''] = name.split(' ');
  const answer = await receive(toUrl(path, params, query), {
    method,
    headers: {
      ...authorization,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: form ? toFormData(form) : JSON.stringify(body),
  });
  if (answer.status === 401) onUnauthorized?.();
  if (!answer.ok) throw new ApiError(answer.status, errorText(answer.text));
  return (answer.isJson ? JSON.parse(answer.text) : answer.text || null) as Answer;
}

/** An answer with the whole of its body. Throws an ApiError of status 0 where none came. */
async function receive(url: string, request: RequestInit) {
  try {
    const answer = await fetch(url, request);
    const isJson = answer.headers.get('content-type')?.startsWith('application/json');
    return { status: answer.status, ok: answer.ok, isJson, text: await answer.text() };
  } catch {
    throw new ApiError(0, MESSAGES.unexpected);
  }
}

function toUrl(path: string, params: Record<string, unknown>, query: Record<string, unknown>) {
  const url = path.replace(/:(\w+)/g, (_, key) => encodeURIComponent(String(params[key])));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(key, String(value));
  }
  return search.size > 0 ? `${url}?${search}` : url;
}

function toFormData(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  return form;
}

/**
 * The header that authorises a call. Throws, and ends the session, when there is no token or its
 * time has passed: the call must not be made.
 */
export function authHeader(now = Date.now()): { authorization: string } {
  if (auth.access && !isExpired(auth, now)) return { authorization: `Bearer ${auth.access}` };
  throw sessionExpired();
}

/** The server does not know the session any more, or its time has passed. */
export function sessionExpired(): ApiError {
  // While the user logs out, requests that were still in flight are refused, which needs no message.
  if (!isSessionEnding()) {
    if (auth.isAuth) setFlashMessage({ kind: 'error', text: MESSAGES.tokenExpired });
    void endSession('/login');
  }
  logout();
  return new ApiError(401, MESSAGES.tokenExpired);
}
