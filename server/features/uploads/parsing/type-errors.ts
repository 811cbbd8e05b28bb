import { formatBytes } from '../../../contract/units.ts';
import { type AppError, unsupportedType } from '../../../errors.ts';
import { mediaOf } from './sniff.ts';

const videoUploadHint = (bucketId: string) =>
  `use Upload Video, or POST /files/upload/video/${bucketId}.`;
const imageUploadHint = (bucketId: string) =>
  `use Upload Image, or POST /files/upload/image/${bucketId}.`;

const fileUploadHint = (bucketId: string) =>
  `To store it as it is, use POST /files/upload/file/${bucketId}.`;

/** Returns the error for bytes that are no image or video although their upload says so. */
export const notMedia = (): AppError =>
  unsupportedType(
    "The file isn't a supported image or video. To store it as it is, send another filetype or none.",
  );

/**
 * Returns the content type of an image. Throws unsupported-type where a file is none. For a video the error names the
 * call to use.
 */
export async function requireImage(head: Uint8Array, bucketId: string): Promise<string> {
  const media = await mediaOf(head);
  if (media?.type === 'image') return media.contentType;
  const text = 'The file is not a JPEG, PNG, WebP, GIF, SVG, AVIF, HEIC, TIFF or BMP image.';
  const hint = media ? `It is a video: ${videoUploadHint(bucketId)}` : fileUploadHint(bucketId);
  throw unsupportedType(`${text} ${hint}`);
}

/** The formats that browsers show, and of which nothing has to be removed before it is safe to show them. */
const EXACT_IMAGES = ['image/jpeg', 'image/png', 'image/apng', 'image/webp', 'image/gif'];

/** Throws unsupported-type where an image of a content type can't be delivered as it is. */
export function requireExactImage(contentType: string, bucketId: string): void {
  if (EXACT_IMAGES.includes(contentType)) return;
  const text = 'Only JPEG, PNG, WebP and GIF images can be delivered without optimising them.';
  throw unsupportedType(`${text} ${fileUploadHint(bucketId)}`);
}

/** Names the formats of `VIDEOS` as people know them. */
const VIDEO_FORMATS =
  'Videos can be MP4, MOV, 3GP, MKV, WebM, AVI, MPEG, MPEG-TS, FLV, WMV or Ogg files.';

/**
 * Returns the content type of a video. Throws unsupported-type where a file is none. For an image the error names the
 * call to use, else the formats that are accepted.
 */
export async function requireVideo(head: Uint8Array, bucketId: string): Promise<string> {
  const media = await mediaOf(head);
  if (media?.type === 'video') return media.contentType;
  const hint = media
    ? `It is an image: ${imageUploadHint(bucketId)}`
    : `${VIDEO_FORMATS} ${fileUploadHint(bucketId)}`;
  throw unsupportedType(`This video format isn't supported. ${hint}`);
}

/** Returns the message for a form that is too large to contain an image. */
export const tooLargeForImage = (bucketId: string): string =>
  `Images can be at most 50 MiB. For a video, ${videoUploadHint(bucketId)}`;

const PLURALS = { image: 'Images', video: 'Videos', file: 'Files' };

/** Returns the message for an upload of a type that is larger than the server accepts. */
export const tooLargeOf = (type: keyof typeof PLURALS, maxBytes: number): string =>
  `${PLURALS[type]} can be at most ${formatBytes(maxBytes).replace(/\.0+ /, ' ')}.`;
