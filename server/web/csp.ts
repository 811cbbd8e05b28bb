/** A fresh nonce: 128 random bits, base64. */
export const makeNonce = () =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');

/**
 * The Content-Security-Policy of every page: nothing runs or loads unless this server put it there.
 * 'strict-dynamic' lets a script we named import its parts.
 */
export const contentSecurityPolicy = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

export const pageHeaders = (nonce: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy(nonce),
  'cache-control': 'private, no-store',
  'referrer-policy': 'strict-origin',
  'x-content-type-options': 'nosniff',
});
