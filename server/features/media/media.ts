import type { Size } from '../../contract/media.ts';
import type { MediaRow, Rendition } from './tables.ts';

/** What is known of the media of a file. */
export type Media = Omit<MediaRow, 'file_id'>;

/** The media of a file that is not processed. It is deliverable from the start. */
export const NO_MEDIA: Media = {
  ...{ status: 'success', error: null, warning: null, retry_until: null },
  ...{ prefix: null, entry: null, poster: null, previews: null, renditions: null },
  ...{ width: null, height: null, duration: null, thumb_hash: null },
  ...{ playable: 0, webp_skipped: 0, is_turned: 0 },
};

/** The media of an upload that waits to be processed. */
export const UNPROCESSED: Media = { ...NO_MEDIA, status: 'processing' };

/** What an upload says of the image or the video that it is. */
export type UploadedMedia = UploadedImage | UploadedVideo;

/** An uploaded image, which is one object. */
type UploadedImage = {
  type: 'image';
  key: string;
  webp: boolean;
  /** Whether it is made smaller and freed of metadata; its bytes are delivered otherwise. */
  isOptimized: boolean;
};

/** An uploaded video, whose bytes are those of all its objects in order. */
type UploadedVideo = {
  type: 'video';
  keys: string[];
  resolutions: Size[];
  thumbnail: string | null;
  timelinePreview: boolean;
};

/** Returns how many bytes the image has that is delivered of a file; null where an earlier version has not stored it. */
export function deliveredBytes({
  renditions,
  entry,
}: Pick<MediaRow, 'renditions' | 'entry'>): number | null {
  const all: Rendition[] = renditions === null ? [] : JSON.parse(renditions);
  const delivered = all.find(({ name }) => name === 'delivered');
  return delivered?.entry === entry ? delivered.bytes : null;
}
