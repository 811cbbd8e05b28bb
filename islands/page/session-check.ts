import { MESSAGES } from '../../server/contract/messages.ts';
import { setFlashMessage } from '../runtime/flash-message.ts';
import { AUTH_KEY, endSession, isExpired, isSessionEnding, readAuth } from '../runtime/session.ts';
import { showAccountLabel } from './top-bar.ts';

/** Pages that only a signed-in viewer is served. */
const PRIVATE = /^\/(dashboard|profile|billing|admin)(\/|$)/;

/**
 * A private page is rendered by the cookie, while calls are authorised by the token in local
 * storage. Where the two do not name the same person the page could do nothing: it logs out.
 * /login follows no cookie, so this can't go round in circles.
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

  const askAgain = () => {
    if (isSessionEnding()) return;
    if (!matches()) return location.reload();
    // The address may have been changed in the other tab.
    showAccountLabel(readAuth().email ?? '');
  };
  // Another tab logged out, or in as somebody else: its cookie is ours too, so ask the server again.
  window.addEventListener('storage', ({ key }) => {
    if (key === AUTH_KEY || key === null) askAgain();
  });
  // The back button may show a page as it was left, with whatever session that had.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) askAgain();
  });
}
