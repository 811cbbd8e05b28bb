import { MESSAGES } from '../../server/contract/messages.ts';
import { setFlashMessage } from '../runtime/flash-message.ts';
import { AUTH_KEY, endSession, isExpired, isSessionEnding, readAuth } from '../runtime/session.ts';
import { showAccountLabel } from './top-bar.ts';

/** The pages that only signed-in users can open. */
const PRIVATE = /^\/(dashboard|profile|billing|admin)(\/|$)/;

/**
 * Logs out if the session cookie and the stored token are not of the same user. The server renders a
 * private page by the cookie, while calls are authorised by the token, so such a page could do
 * nothing. /login ignores the cookie, so this can't become a redirect loop.
 */
export function checkSession() {
  const { viewer } = document.documentElement.dataset;
  if (!viewer || !PRIVATE.test(location.pathname)) return;

  const isOver = () => isExpired(readAuth(), Date.now());
  const matches = () => {
    const { access, userId } = readAuth();
    return access !== null && userId === viewer && !isOver();
  };
  if (!matches()) {
    if (readAuth().isAuth && isOver())
      setFlashMessage({ kind: 'error', text: MESSAGES.tokenExpired });
    void endSession('/login');
  }

  const recheck = () => {
    if (isSessionEnding()) return;
    if (!matches()) return location.reload();
    // The other tab may have changed the email address.
    showAccountLabel(readAuth().email ?? '');
  };
  // Another tab has logged out or in as another user. Tabs share the cookie, so the page reloads.
  window.addEventListener('storage', ({ key }) => {
    if (key === AUTH_KEY || key === null) recheck();
  });
  // The back button may show a cached page of an earlier session.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) recheck();
  });
}
