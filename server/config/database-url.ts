/** The modes of libpq that ask for TLS. Without `verify-full`, somebody in between can answer instead. */
const TLS_MODES = ['prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * Returns a PostgreSQL URL in which each way of asking for TLS is `sslmode=verify-full`; null for an
 * unknown mode. One driver takes all modes as `verify-full`, and the other, which listens for events,
 * takes `require` as TLS without a check of the certificate.
 */
export function normalizeDatabaseUrl(text: string): string | null {
  const url = new URL(text);
  const mode = url.searchParams.get('sslmode');
  const asksByFlag = ['true', '1'].includes(url.searchParams.get('ssl') ?? '');
  if (mode === null && !asksByFlag) return text;
  if (mode === 'disable') return text;
  if (mode !== null && !TLS_MODES.includes(mode)) return null;
  url.searchParams.delete('ssl');
  url.searchParams.set('sslmode', 'verify-full');
  return url.href;
}
