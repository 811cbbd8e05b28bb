import { MESSAGES } from '../../server/contract/messages.ts';
import { isPrivatePath } from '../../server/contract/return-path.ts';
import { setFlashMessage } from '../runtime/flash-message.ts';
import {
  AUTH_KEY,
  type Auth,
  endSession,
  isExpired,
  isSessionEnding,
  readAuth,
} from '../runtime/session.ts';
import { showAccountLabel } from './top-bar.ts';

/**
 * Compares the stored session with the user whose cookie a page was rendered with, if it needs one.
 * @param now in epoch ms
 */
export function compareSession(
  viewer: string | undefined,
  path: string,
  auth: Auth,
  now: number,
): 'unneeded' | 'same' | 'other' | 'expired' {
  if (!viewer || !isPrivatePath(path)) return 'unneeded';
  if (isExpired(auth, now)) return auth.isAuth ? 'expired' : 'other';
  return auth.access !== null && auth.userId === viewer ? 'same' : 'other';
}

/** The pages that lead to an account, which a signed-in user has. */
const VISITOR_PATHS = ['/login', '/signup'];

/**
 * Returns whether a page is for visitors while the cookie and the stored session are of the same user. One
 * of them alone does not do: such a browser must be able to log in again.
 * @param now in epoch ms
 */
export const isNeedless = (viewer: string | undefined, path: string, auth: Auth, now: number) =>
  VISITOR_PATHS.includes(path) &&
  viewer !== undefined &&
  auth.access !== null &&
  auth.userId === viewer &&
  !isExpired(auth, now);

/**
 * Leads a signed-in user from the pages for visitors to the dashboard. Logs out if the session cookie
 * and the stored token are not of the same user. The server renders a private page by the cookie, while
 * calls are authorised by the token, so such a page could do nothing. /login ignores the cookie, so this can't become a redirect loop.
 */
export function checkSession() {
  const { viewer } = document.documentElement.dataset;
  if (isNeedless(viewer, location.pathname, readAuth(), Date.now())) {
    location.replace('/dashboard');
    return;
  }
  const compare = () => compareSession(viewer, location.pathname, readAuth(), Date.now());
  const session = compare();
  if (session === 'unneeded') return reloadVisitorPage(viewer);
  if (session === 'expired') setFlashMessage({ kind: 'error', text: MESSAGES.tokenExpired });
  if (session !== 'same') void endSession('/login');

  const recheck = () => {
    if (isSessionEnding()) return;
    if (compare() !== 'same') {
      document.documentElement.hidden = true;
      return location.reload();
    }
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

/** Returns whether the browser has shown a page that it had kept, instead of asking for it. */
export function isKeptPage(): boolean {
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return visit?.transferSize === 0;
}

/** Reloads a page that the browser had kept for a minute from before the login. */
function reloadVisitorPage(viewer: string | undefined) {
  const auth = readAuth();
  if (!viewer && isKeptPage() && auth.isAuth && !isExpired(auth, Date.now())) location.reload();
}
