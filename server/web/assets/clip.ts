import { assets } from './assets.ts';
import about from './clip/about.json' with { type: 'json' };

/**
 * The clip of the landing page, as scripts/clip.ts has described it: sizes in bytes, the duration
 * in milliseconds.
 */
export const CLIP = about;

/** The path of the player's page with the clip. */
export const CLIP_PAGE = '/embed/sample';

/** Returns the URL of a file of the clip. The playlists contain relative paths of the others. */
export const clipUrl = (name: string) => assets().url(`clip/${name}`);

/** Returns how many bytes a file of the clip has. */
export const clipSize = (name: string) => assets().size(`clip/${name}`);
