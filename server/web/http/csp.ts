/** A fresh nonce: 128 random bits, base64. */
export const makeNonce = () =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');

/** What one page may do beyond the others. */
export type Openings = {
  /** Delivered files are shown here; they may come from other hosts. */
  filesFrom?: string[];
  /** It shows pages of ours in frames. */
  framesOurs?: boolean;
  /** Pages of any site may show it in a frame. */
  framedByAnyone?: boolean;
};

/**
 * The Content-Security-Policy of every page: nothing runs or loads unless this server put it there.
 * 'strict-dynamic' lets a script we named import its parts.
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

/** What no page of ours asks a browser for, so that no script that got in could. */
const UNUSED = ['camera', 'display-capture', 'geolocation', 'microphone', 'midi', 'payment', 'usb'];

/**
 * Of every answer where `appUrl` is https: browsers then ask for nothing in the clear, for a year.
 */
export const transportHeaders = (appUrl: string): Record<string, string> =>
  appUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {};

export const pageHeaders = (nonce: string, openings?: Openings) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy(nonce, openings),
  'cache-control': 'private, no-store',
  'referrer-policy': 'strict-origin',
  'x-content-type-options': 'nosniff',
  'permissions-policy': UNUSED.map((feature) => `${feature}=()`).join(', '),
  // For browsers that do not know frame-ancestors.
  ...(openings?.framedByAnyone ? {} : { 'x-frame-options': 'DENY' }),
  // No window that another site opened, or that opens another site, gets hold of ours.
  'cross-origin-opener-policy': 'same-origin',
});
