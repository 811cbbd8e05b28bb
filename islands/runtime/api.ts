import type { CallArguments, CallName, CallResponse } from '../../server/contract/calls.ts';
import type { ErrorCode } from '../../server/contract/failure.ts';
import { MESSAGES } from '../../server/contract/messages.ts';
import { ApiError, CancelledError, errorText } from './api-error.ts';
import { auth, logout } from './auth.ts';
import { setFlashMessage } from './flash-message.ts';
import { withPassword } from './password-prompt.ts';
import { endSession, isExpired, isSessionEnding } from './session.ts';

/**
 * Makes a call as the signed-in user and returns its result. Asks for the password first if the server
 * wants it. Throws ApiError with the server's message, or CancelledError.
 */
export async function call<Name extends CallName>(
  name: Name,
  ...[input]: CallArguments<Name>
): Promise<CallResponse<Name>> {
  return withPassword(() => send(name, input as Input, authHeader(), sessionExpired));
}

/** Makes a call that needs no session. Throws ApiError. */
export async function publicCall<Name extends CallName>(
  name: Name,
  ...[input]: CallArguments<Name>
): Promise<CallResponse<Name>> {
  return send(name, input as Input);
}

/** The input of any call. The type of `call` has checked that it fits the call's name. */
type Input = {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  body?: unknown;
  form?: Record<string, string>;
  signal?: AbortSignal;
};

async function send<Answer>(
  name: string,
  { params = {}, query = {}, headers = {}, body, form, signal }: Input = {},
  authorization: Record<string, string> = {},
  onUnauthorized?: () => void,
): Promise<Answer> {
  const [method = '', path = ''] = name.split(' ');
  const response = await receive(toUrl(path, params, query), {
    method,
    headers: {
      ...headers,
      ...authorization,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: form ? toFormData(form) : JSON.stringify(body),
    ...(signal && { signal }),
  });
  if (response.status === 401) onUnauthorized?.();
  if (!response.ok)
    throw new ApiError(response.status, errorText(response.text), { code: response.code });
  return (response.isJson ? JSON.parse(response.text) : response.text || null) as Answer;
}

/** Returns a response with its whole body. Throws an ApiError of status 0 if there is no response, and CancelledError. */
async function receive(url: string, request: RequestInit) {
  try {
    const response = await fetch(url, request);
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const code = response.headers.get('x-error-code') as ErrorCode | null;
    return { status: response.status, ok: response.ok, isJson, code, text: await response.text() };
  } catch {
    if (request.signal?.aborted) throw new CancelledError();
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
 * Returns the header that authorises a call. Throws and ends the session if there is no token or it
 * has expired, because then the call must not be made.
 */
export function authHeader(now = Date.now()): { authorization: string } {
  if (auth.access && !isExpired(auth, now)) return { authorization: `Bearer ${auth.access}` };
  throw sessionExpired();
}

/** Ends a session that has expired or that the server does not know any more. Returns the error. */
export function sessionExpired(): ApiError {
  // A logout makes the server refuse the requests that are still in flight, which needs no message.
  if (!isSessionEnding()) {
    if (auth.isAuth) setFlashMessage({ kind: 'error', text: MESSAGES.tokenExpired });
    void endSession('/login');
  }
  logout();
  return new ApiError(401, MESSAGES.tokenExpired);
}
