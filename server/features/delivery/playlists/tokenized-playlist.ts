import { TEXT_MAX } from '../caches/object-cache.ts';
import { isCues } from '../headers/content-types.ts';
import { type Subject, subjectHeaders } from '../headers/headers.ts';
import { type Deliverable, textVariants, type Variant } from '../variants.ts';
import { withToken, withTokenInCues } from './playlists.ts';

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
