import type { Retry } from './failure.ts';
import type { Transform } from './transforms.ts';

/* The messages between the server and the media process. Every message is plain JSON. */

export type Size = { width: number; height: number };

/** The entry of a video that has all its sizes. Viewers always request a video by this name. */
export const MASTER_PLAYLIST = 'master.m3u8';
/**
 * The entry of a video that can be played while its other sizes are encoded. It has a name of its
 * own because an object never changes: until the file's status is success, delivery answers
 * requests for the master playlist with this one.
 */
export const PARTIAL_PLAYLIST = 'early.m3u8';

/** The entry of one rendition, in a folder of its own below the master playlist. */
export const RENDITION_PLAYLIST = 'playlist.m3u8';

export type ImageJob = {
  kind: 'image';
  /** The object key of the upload. */
  source: string;
  /** The prefix, ending in '/', below which this attempt stores its results. */
  prefix: string;
  /** The base name of the delivered file, without the file extension. */
  baseName: string;
  webp: boolean;
  /** Whether the bytes of the upload are delivered, once they are known to be those of an image. */
  isExact?: boolean;
  /** Whose image it is. Owners take turns, and no process decodes the images of two. */
  owner: string;
  /**
   * Whether it has shown to be slow. Otherwise it fails with the retry `background` where it is slow and
   * others wait.
   */
  isBackground?: boolean;
};

export type VideoJob = {
  kind: 'video';
  /** The object keys of the uploaded parts, in order. */
  sources: string[];
  prefix: string;
  /** The requested sizes; an empty list means the size of the source. */
  resolutions: Size[];
  /**
   * The object key of an uploaded image for the poster; without it, the poster is a frame of the
   * video.
   */
  thumbnail?: string;
  /** Whether to generate thumbnails for the seek bar. */
  timelinePreview?: boolean;
  /** Whose video it is. */
  owner: string;
  /**
   * Whether it runs beside other videos, at the lowest priority. Otherwise a long video fails with
   * the retry `background`.
   */
  isBackground?: boolean;
};

/**
 * A job that reads a video's width and height from its first bytes, or from its last where needed.
 */
export type ProbeJob = {
  kind: 'probe';
  /** The object keys of the first bytes, and of the last bytes if there are any. */
  head: string;
  tail: string | null;
};

/** A job that reads how long audio plays, or the size of an image, of a file that is delivered as it was uploaded. */
export type FactsJob = {
  kind: 'audio' | 'picture';
  /** The object key of the upload. */
  source: string;
  /** Whose file it is. */
  owner: string;
};

/** A job that generates an image in another size, shape or format while a viewer waits for it. */
export type ImageTransformJob = {
  kind: 'transform';
  /** The object key of the delivered image. */
  source: string;
  /** The prefix, ending in '/', below which the one result is stored. */
  prefix: string;
  /** The base name of that object, without the file extension. */
  baseName: string;
  transform: Transform;
  owner: string;
  isBackground?: boolean;
};

export type MediaJob = ImageJob | VideoJob | FactsJob | ProbeJob | ImageTransformJob;

/** What is wrong with an image that could be processed; the server has a sentence for each. */
export const IMAGE_WARNINGS = [
  'damaged',
  'too-long-for-webp',
  'shrunk-for-webp',
  'animated-png',
  'svg-undrawable',
  'svg-adaptive',
] as const;
export type ImageWarning = (typeof IMAGE_WARNINGS)[number];

export type MediaObject = {
  /** The path below the job's prefix, such as 'photo.webp' or '1280x720/seg_00001.m4s'. */
  name: string;
  size: number;
};

export type MediaResult = {
  objects: MediaObject[];
  /** The name of the object that a viewer opens first. */
  entry: string;
  width: number;
  height: number;
  /** The duration in milliseconds; null for still images. */
  duration: number | null;
  /**
   * Set where WebP was requested but the original is smaller, or longer than a WebP can be, and is
   * delivered without its metadata.
   */
  kept?: 'original';
  /** Set where the upload can't be delivered in its own format, so that its original is kept. */
  isConverted?: true;
  warning?: ImageWarning;
  /** Sentences on what of a video could not be read, or is left out. Its original is kept then. */
  loss?: string;
  /** Set where the delivered image declares an orientation, which some programs ignore. */
  isTurned?: true;
  /** The ThumbHash of the delivered image, or of a video's poster, in base64. */
  thumbHash?: string;
  /** The name of a video's poster, which is a WebP image. */
  poster?: string;
  /** The name of the WebVTT file whose cues are parts (#xywh) of sprite sheets. */
  previews?: string;
};

/** `size` is null where the last bytes of the video are needed as well. */
export type ProbeResult = { size: Size | null };

/** What the bytes of a file tell: null where they don't, or can't be read. */
export type FileFacts = {
  width: number | null;
  height: number | null;
  /** In milliseconds. */
  duration: number | null;
  /** In base64. */
  thumbHash: string | null;
};
export const NO_FACTS: FileFacts = { width: null, height: null, duration: null, thumbHash: null };

export type ResultOf<Job extends MediaJob> = Job extends ProbeJob
  ? ProbeResult
  : Job extends FactsJob
    ? FileFacts
    : MediaResult;

/** A message from the server to the media process. */
export type MediaRequest =
  | { type: 'run'; id: string; job: MediaJob }
  | { type: 'cancel'; id: string };

/** A message from the media process to the server. `percent` is 0 to 100. */
export type MediaReply =
  | { type: 'ready' }
  | { type: 'progress'; id: string; percent: number }
  /**
   * One size can be played, and `result` has what is stored so far. It is sent at most once, before
   * `done`.
   */
  | { type: 'playable'; id: string; result: MediaResult }
  /** The SHA-256 of the upload in hex. It is sent before the upload is processed. */
  | { type: 'hashed'; id: string; sha256: string }
  | { type: 'done'; id: string; result: MediaResult | ProbeResult | FileFacts }
  | { type: 'failed'; id: string; reason: string; retry: Retry };
