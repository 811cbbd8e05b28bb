import { MESSAGES } from '../../server/contract/messages.ts';
import { ApiError } from './api-error.ts';
import { auth, logout } from './auth.ts';
import { isExpired } from './auth-storage.ts';
import { setFlashMessage } from './flash-message.ts';
import { endSession, isSessionEnding } from './session.ts';

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
