const UNRESERVED = /[A-Za-z0-9\-._~]/;
/** One escaped byte, or one character that AWS escapes. */
const ESCAPED = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~]/gu;

/**
 * Returns a path as canonical requests have it: decoded once, and each byte but the unreserved ones of RFC 3986 and
 * slashes escaped again, because clients disagree about what else they escape. It takes time in proportion to its
 * length, and never throws.
 */
export const recodePath = (rawPath: string): string =>
  recode(rawPath, (escaped) => (escaped === '/' || escaped === '%2F' ? '/' : null));

/** Returns a name or a value of a query as canonical requests have it. A plus is a space, as in forms. */
export const recodeQueryText = (raw: string): string =>
  recode(raw, (escaped) => (escaped === '+' ? '%20' : null));

const recode = (raw: string, special: (escaped: string) => string | null): string =>
  raw.replace(ESCAPED, (found) => {
    const escaped = found.length === 3 && found[0] === '%' ? found.toUpperCase() : found;
    return special(escaped) ?? escapeAgain(escaped);
  });

function escapeAgain(escaped: string): string {
  if (escaped.length !== 3 || escaped[0] !== '%') return escapeBytes(escaped);
  const char = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return UNRESERVED.test(char) ? char : escaped;
}

const escapeBytes = (char: string): string =>
  [...Buffer.from(char)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
