/** What the server asks of the media process, and what it hears back. Every message is plain JSON. */

export type Size = { width: number; height: number };

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
};

export type MediaJob = ImageJob | VideoJob;

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
};

/** Server to media process. */
export type MediaRequest =
  | { type: 'run'; id: string; job: MediaJob }
  | { type: 'cancel'; id: string };

/** Media process to server. `percent` is 0 to 100. A permanent failure must not be tried again. */
export type MediaReply =
  | { type: 'ready' }
  | { type: 'progress'; id: string; percent: number }
  | { type: 'done'; id: string; result: MediaResult }
  | { type: 'failed'; id: string; reason: string; permanent: boolean };
