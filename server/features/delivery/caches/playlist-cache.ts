import { LRUCache } from 'lru-cache';
import { MIB, SECOND } from '../../../contract/limits.ts';
import type { Subject } from '../headers.ts';
import { tokenizePlaylist } from '../playlists.ts';
import type { Deliverable } from '../variants.ts';
import { weightOf } from './object-cache.ts';

/** A player, and the others with its token, request a playlist within this time or hardly again. */
const TTL_MS = 5 * SECOND;
/** The limit allows for the playlists of films for 30 viewers, or of short videos for 2,000. */
const MAX_CACHED_BYTES = 16 * MIB;

type Source = { original: Deliverable; subject: Subject; token: string };

/**
 * A cache of private playlists and cues with a token in them. A token expires or is revoked while
 * its playlists are here, so every request is authorized before it reads the cache.
 */
export class PlaylistCache {
  private readonly cache = new LRUCache<string, Deliverable, Source>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: weightOf,
    ttl: TTL_MS,
    ttlResolution: SECOND / 10,
    fetchMethod: (_name, _stale, { context: { original, subject, token } }) =>
      tokenizePlaylist(original.uncompressed, subject, token),
  });

  /** Returns a cached playlist; undefined where it has to be opened. */
  get(key: string, token: string): Deliverable | undefined {
    return this.cache.get(nameOf(key, token));
  }

  /** Returns the playlist that is the object `key`, with the token on every URL. */
  open(key: string, source: Source): Promise<Deliverable> {
    return this.cache.forceFetch(nameOf(key, source.token), { context: source });
  }
}

/** Neither a key nor a token that was verified has a space. */
const nameOf = (key: string, token: string) => `${key} ${token}`;
