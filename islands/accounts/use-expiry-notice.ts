import { useEffect } from 'react';
import { MESSAGES } from '../../server/contract/messages.ts';
import { auth, logout } from '../runtime/auth.ts';
import { isExpired } from '../runtime/auth-storage.ts';
import { notify } from '../runtime/notify.ts';

/**
 * Tells who comes to the login because the session's time has passed. The server has redirected
 * then, without the cookie knowing more than that it is gone.
 */
export function useExpiryNotice() {
  useEffect(() => {
    if (!auth.isAuth || !isExpired(auth, Date.now())) return;
    logout();
    notify.error(MESSAGES.tokenExpired);
  }, []);
}
