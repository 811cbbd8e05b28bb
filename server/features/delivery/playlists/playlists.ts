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

/**
 * Private previews with the token on each picture's URL (WebVTT, the lines below a cue's times),
 * before the `#xywh=…` that says which part of it to show.
 */
export function withTokenInCues(cues: string, token: string): string {
  const query = `jwt=${encodeURIComponent(token)}`;
  let isPayload = false;
  return cues
    .split('\n')
    .map((line) => {
      const isTimes = line.includes('-->');
      const isUrl = isPayload && !isTimes && line.trim() !== '';
      isPayload = isTimes || isUrl;
      if (!isUrl) return line;
      const [url = '', part] = line.trimEnd().split('#', 2);
      const tokened = `${url}${url.includes('?') ? '&' : '?'}${query}`;
      return part === undefined ? tokened : `${tokened}#${part}`;
    })
    .join('\n');
}
