import { LRUCache } from 'lru-cache';
import { MIB, SECOND } from '../../../contract/limits.ts';
import { tokenizePlaylist } from '../playlists.ts';
import type { CachedObject } from '../variants.ts';
import { weightOf } from './object-cache.ts';

/** A player, and the others with its token, request a playlist within this time or hardly again. */
const TTL_MS = 5 * SECOND;
/** The limit allows for the playlists of films for 30 viewers, or of short videos for 2,000. */
const MAX_CACHED_BYTES = 16 * MIB;

type Source = { key: string; original: CachedObject; token: string };

/**
 * A cache of private playlists and cues with a token in them. A token expires or is revoked while
 * its playlists are here, so every request is authorized before it reads the cache.
 */
export class TokenizedPlaylistCache {
  private readonly playlists = new LRUCache<string, CachedObject, Source>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: weightOf,
    ttl: TTL_MS,
    ttlResolution: SECOND / 10,
    fetchMethod: (_name, _stale, { context }) => tokenizePlaylist(context),
  });

  /** Returns the playlist that is the object `key`, with the token on every URL, at once where it is cached. */
  open(source: Source): CachedObject | Promise<CachedObject> {
    // Neither a key nor a token that was verified has a space.
    const name = `${source.key} ${source.token}`;
    return this.playlists.get(name) ?? this.playlists.forceFetch(name, { context: source });
  }
}
