import { assets } from './assets.ts';
import about from './clip/about.json' with { type: 'json' };

/**
 * A clip of our own that the landing page plays, and what scripts/clip.ts noted of it: bytes, and
 * milliseconds.
 */
export const CLIP = about;

/** Where the page of the player is that plays it. */
export const CLIP_PAGE = '/embed/sample';

/** The URL of one of its files. Its playlists name the others, by paths from where they are. */
export const clipUrl = (name: string) => assets().url(`clip/${name}`);

/** How many bytes one of its files has. */
export const clipSize = (name: string) => assets().size(`clip/${name}`);
