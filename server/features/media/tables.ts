import type { FileStatus } from '../../contract/wire.ts';
import type { SqlBoolean } from '../../platform/db/port.ts';

/** One stored version of a file. A folder of segments counts as one version. */
export type Rendition = {
  /** '1280x720', 'audio', 'audio-2', 'previews', 'poster', 'playlists', 'delivered' or 'original'. */
  name: string;
  width: number | null;
  height: number | null;
  bytes: number;
  /** The name, below the file's prefix, of the object to open; null where none is delivered. */
  entry: string | null;
};

/** The processing of an image or a video, and what it has made. The row is deleted with its file. */
export type MediaRow = {
  file_id: string;
  status: FileStatus;
  /** Why processing failed, as a sentence for a person. */
  error: string | null;
  /** What is wrong with the file although it could be processed, as a sentence for a person. */
  warning: string | null;
  /** The prefix of the published objects, ending in '/'; null until there are any. */
  prefix: string | null;
  /** The name of the object below `prefix` that a viewer opens first. */
  entry: string | null;
  width: number | null;
  height: number | null;
  duration: number | null;
  playable: SqlBoolean;
  /** A ThumbHash in base64, whose picture is shown until the real one is loaded. */
  thumb_hash: string | null;
  /** The names below `prefix` of a video's poster and of the WebVTT file of its previews. */
  poster: string | null;
  previews: string | null;
  /** Whether WebP was requested but the image is delivered in its own format. */
  webp_skipped: SqlBoolean;
  /** Whether the delivered image declares an orientation (EXIF). */
  is_turned: SqlBoolean;
  /** The renditions as JSON; null until the file is published, and for older files. */
  renditions: string | null;
  /**
   * Until when a failed file can be retried, as its upload is kept, in epoch milliseconds; null where it
   * can't be.
   */
  retry_until: number | null;
};

declare module '../../platform/db/tables.ts' {
  /** The table of media, by its name. */
  interface Tables {
    media: MediaRow;
  }
}
