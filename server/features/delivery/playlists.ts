/**
 * A private playlist with the token on every URI, so that a player that knows nothing of
 * tokens can fetch what it names: on URI lines, and in URI="…" attributes (RFC 8216, 4.1 and 4.3).
 */
export function withToken(playlist: string, token: string): string {
  const query = `jwt=${encodeURIComponent(token)}`;
  const add = (uri: string) => `${uri}${uri.includes('?') ? '&' : '?'}${query}`;
  return playlist
    .split('\n')
    .map((line) => {
      if (line.startsWith('#'))
        return line.replace(/\bURI="([^"]+)"/g, (_, uri) => `URI="${add(uri)}"`);
      return line.trim() ? add(line) : line;
    })
    .join('\n');
}
