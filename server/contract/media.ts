import type { Retry } from './failure.ts';
import type { Transform } from './transforms.ts';

/** What the server asks of the media process, and what it hears back. Every message is plain JSON. */

export type Size = { width: number; height: number };

/** Entry of a video that has all its sizes, and the name under which a viewer always asks for it. */
export const MASTER_PLAYLIST = 'master.m3u8';
/**
 * Entry of a video that can be played while its other sizes are made. A name of its own, because
 * an object never changes: until success, delivery answers requests for the master with this one.
 */
export const EARLY_PLAYLIST = 'early.m3u8';

/** Entry of one rendition, in its own folder below the master playlist. */
export const RENDITION_PLAYLIST = 'playlist.m3u8';

export type ImageJob = {
  kind: 'image';
  /** Object key of what was uploaded. */
  source: string;
  /** Prefix, ending in '/', under which everything this attempt makes is stored. */
  prefix: string;
  /** Base name, without ending, of the delivered file. */
  baseName: string;
  webp: boolean;
};

export type VideoJob = {
  kind: 'video';
  /** Object keys of the uploaded parts, in order. */
  sources: string[];
  prefix: string;
  /** Sizes asked for; empty means the source's own. */
  resolutions: Size[];
  /** Object key of an uploaded image to make the poster of; without, the video's own picture. */
  thumbnail?: string;
  /** Whether to make small pictures for the seek bar. */
  timelinePreview?: boolean;
};

/** How large the picture of a video is, by its first bytes and, where they don't tell, its last. */
export type ProbeJob = {
  kind: 'probe';
  /** Object keys. */
  head: string;
  tail: string | null;
};

/** A delivered image in another size, shape or format, for a viewer who waits for it. */
export type DeriveJob = {
  kind: 'derive';
  /** Object key of the delivered image. */
  source: string;
  /** Prefix, ending in '/', under which the one object is stored. */
  prefix: string;
  /** Base name, without ending, of that object. */
  baseName: string;
  transform: Transform;
};

export type MediaJob = ImageJob | VideoJob | ProbeJob | DeriveJob;

export type MadeObject = {
  /** Path below the job's prefix: 'photo.webp', '1280x720/seg_00001.m4s'. */
  name: string;
  size: number;
};

export type MediaResult = {
  objects: MadeObject[];
  /** Name of the object that a viewer opens first. */
  entry: string;
  width: number;
  height: number;
  /** Milliseconds; null for still images. */
  duration: number | null;
  /** WebP was asked for, but the original is smaller: that one, cleaned, is what is delivered. */
  kept?: 'original';
  /** ThumbHash of what is delivered, or of a video's poster, in base64. */
  thumbHash?: string;
  /** Name of a video's poster, a WebP. */
  poster?: string;
  /** Name of the WebVTT file whose cues are parts (#xywh) of sprite sheets. */
  previews?: string;
};

/** Null where the last bytes are needed as well. */
export type ProbeResult = { size: Size | null };

export type ResultOf<Job extends MediaJob> = Job extends ProbeJob ? ProbeResult : MediaResult;

/** Server to media process. */
export type MediaRequest =
  | { type: 'run'; id: string; job: MediaJob }
  | { type: 'cancel'; id: string };

/** Media process to server. `percent` is 0 to 100. */
export type MediaReply =
  | { type: 'ready' }
  | { type: 'progress'; id: string; percent: number }
  /** One size can be played; `result` holds what is stored so far. At most once, before `done`. */
  | { type: 'playable'; id: string; result: MediaResult }
  /** SHA-256, in hex, of all that was uploaded; before anything is made of it. */
  | { type: 'hashed'; id: string; sha256: string }
  | { type: 'done'; id: string; result: MediaResult | ProbeResult }
  | { type: 'failed'; id: string; reason: string; retry: Retry };
