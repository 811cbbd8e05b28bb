/** The cookie by which a private page tells /login where to lead back to. It holds no secret. */
export const RETURN_COOKIE = 'wharf_return';

/** The longest path that is remembered. Browsers drop cookies of more than 4096 bytes. */
const RETURN_PATH_MAX = 1_024;

/** The pages that only signed-in users can open. */
const PRIVATE = /^\/(dashboard|profile|billing|admin)(\/|$)/;

/** Returns whether only signed-in users can open the page of a path. */
export const isPrivatePath = (path: string): boolean => PRIVATE.test(path);

/**
 * Returns the path and query of a private page of this site, or null for anything else. It is parsed as
 * a browser would parse it, so that no spelling of another site's address becomes an open redirect.
 */
export function toReturnPath(value: string | null | undefined): string | null {
  if (!value || value.length > RETURN_PATH_MAX) return null;
  const origin = 'http://wharf.invalid';
  const url = URL.parse(value, origin);
  if (!url || url.origin !== origin || url.username || url.password) return null;
  return value.startsWith('/') && !value.startsWith('//') && isPrivatePath(url.pathname)
    ? url.pathname + url.search
    : null;
}
