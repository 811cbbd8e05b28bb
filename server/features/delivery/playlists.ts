import { MAX_TEXT_BYTES } from './caches/object-cache.ts';
import { addToken } from './delivery-url.ts';
import { isCues } from './headers.ts';
import { type CachedObject, textObject } from './variants.ts';

/**
 * Returns a playlist with a token on every URI, on URI lines and in URI="…" attributes (RFC 8216,
 * 4.1 and 4.3), because a player does not add the token of the playlist to the URLs in it.
 */
export function withToken(playlist: string, token: string): string {
  return playlist
    .split('\n')
    .map((line) => {
      if (line.startsWith('#'))
        return line.replace(/\bURI="([^"]+)"/g, (_, uri) => `URI="${addToken(uri, token)}"`);
      return line.trim() ? addToken(line, token) : line;
    })
    .join('\n');
}

/**
 * Returns the WebVTT of seek previews with a token on the URL of each picture, which is the line
 * below a cue's times. The token comes before the `#xywh=…` that names the part of the picture.
 */
export function withTokenInCues(cues: string, token: string): string {
  let isPayload = false;
  return cues
    .split('\n')
    .map((line) => {
      const isTimes = line.includes('-->');
      const isUrl = isPayload && !isTimes && line.trim() !== '';
      isPayload = isTimes || isUrl;
      if (!isUrl) return line;
      const [url = '', part] = line.trimEnd().split('#', 2);
      const signedUrl = addToken(url, token);
      return part === undefined ? signedUrl : `${signedUrl}#${part}`;
    })
    .join('\n');
}

/**
 * Returns a private playlist or its cues with the caller's token on every URL. The ETag is that of
 * these bytes and there is no Last-Modified, so a client with another token gets it in full.
 */
export async function tokenizePlaylist({
  key,
  original: { uncompressed },
  token,
}: {
  key: string;
  original: CachedObject;
  token: string;
}): Promise<CachedObject> {
  if (uncompressed.size > MAX_TEXT_BYTES)
    throw new Error('a playlist is larger than any that is generated');
  const rewrite = isCues(key) ? withTokenInCues : withToken;
  const text = Buffer.from(rewrite(await new Response(uncompressed.body()).text(), token));
  return textObject(text, null, Bun.hash.xxHash3(text).toString(36));
}
