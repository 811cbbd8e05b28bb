import { TEXT_MAX } from './caches/object-cache.ts';
import { isCues, type Subject, subjectHeaders } from './headers.ts';
import { type Deliverable, textVariants, type Variant } from './variants.ts';

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

/**
 * A private playlist or its cues with the caller's token on all that they name. Its tag is of
 * these bytes, and it has no time of change: a client with another token gets it in full.
 */
export async function tokenizePlaylist(
  plain: Variant,
  subject: Subject,
  token: string,
): Promise<Deliverable> {
  if (plain.size > TEXT_MAX) throw new Error('a playlist is larger than any we make');
  const rewrite = isCues(subject.name) ? withTokenInCues : withToken;
  const text = Buffer.from(rewrite(await new Response(plain.body()).text(), token));
  const hash = Bun.hash.xxHash3(text).toString(36);
  return textVariants(text, null, subjectHeaders(subject), hash);
}
