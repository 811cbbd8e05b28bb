import { AUTH_KEY, isExpired, readAuth } from '../auth-storage.ts';
import { endSession, isSessionEnding } from '../session.ts';

/**
 * A private page is rendered by the cookie, while calls are authorised by the token in local
 * storage. Where the two do not name the same person the page could do nothing: it logs out.
 * /login follows no cookie, so this can't go round in circles.
 */
export function guardSession() {
  const { viewer } = document.documentElement.dataset;
  if (!viewer || !location.pathname.startsWith('/dashboard')) return;

  const matches = () => {
    const auth = readAuth();
    return auth.access !== null && auth.userId === viewer && !isExpired(auth, Date.now());
  };
  if (!matches()) void endSession('/login');

  const askAgain = () => {
    if (!isSessionEnding() && !matches()) location.reload();
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
