/** Returns a new nonce of 128 random bits in base64. */
export const makeNonce = () =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');

/** The additional permissions of a page. */
export type Openings = {
  /** The URLs of hosts from which the page shows delivered files. */
  filesFrom?: string[];
  /** Whether the page has frames with our own pages. */
  framesOurs?: boolean;
  /** Whether pages of any site may show the page in a frame. */
  framedByAnyone?: boolean;
};

/**
 * Returns the Content-Security-Policy of a page. Only scripts with the nonce run, and with
 * 'strict-dynamic' they may import their chunks. Other resources load only from this server.
 */
export function contentSecurityPolicy(nonce: string, openings: Openings = {}): string {
  const origins = new Set(openings.filesFrom?.map((url) => new URL(url).origin));
  const files = [...origins].map((origin) => ` ${origin}`).join('');
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data: blob:${files}`,
    "font-src 'self'",
    `media-src 'self' blob:${files}`,
    `connect-src 'self'${files}`,
    ...(openings.framesOurs ? ["frame-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${openings.framedByAnyone ? '*' : "'none'"}`,
  ].join('; ');
}

/**
 * The browser features that no page uses. They are disabled, so that an injected script can't use
 * them.
 */
const UNUSED = ['camera', 'display-capture', 'geolocation', 'microphone', 'midi', 'payment', 'usb'];

/**
 * Returns `Strict-Transport-Security` if one of our `urls` is https. Browsers then request that host
 * over https only, for a year. They ignore the header over http (RFC 6797 section 8.1).
 */
export const transportHeaders = (urls: string[]): Record<string, string> =>
  urls.some((url) => url.startsWith('https:'))
    ? { 'strict-transport-security': 'max-age=31536000' }
    : {};

/**
 * Returns the headers of every response whose route sets no others. No cache keeps it, because most
 * are one user's data, and no browser guesses another type than the declared one. Errors, and the
 * pages that are also calls, are HTML or not depending on `Accept`, and compressed or not.
 */
export const defaultHeaders = (urls: string[]): Record<string, string> => ({
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
  vary: 'Accept, Accept-Encoding',
  ...transportHeaders(urls),
});

export const pageHeaders = (nonce: string, openings?: Openings) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy(nonce, openings),
  'referrer-policy': 'strict-origin',
  'permissions-policy': UNUSED.map((feature) => `${feature}=()`).join(', '),
  // Browsers that do not support frame-ancestors use this header.
  ...(openings?.framedByAnyone ? {} : { 'x-frame-options': 'DENY' }),
  // No window of another site that opened ours, or that ours opened, gets a reference to it.
  'cross-origin-opener-policy': 'same-origin',
});
