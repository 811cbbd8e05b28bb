import { type AppError, unsupportedType } from '../../../errors.ts';
import { looksLikeImage, looksLikeVideo } from './sniff.ts';

const videoWay = (bucketId: string) => `use Upload Video, or POST /files/upload/video/${bucketId}.`;
const imageWay = (bucketId: string) => `use Upload Image, or POST /files/upload/image/${bucketId}.`;

/** What the image call answers to a file that starts so, which is none; a video is told its way. */
export async function notAnImage(head: Uint8Array, bucketId: string): Promise<AppError> {
  const text = 'The file is not a JPEG, PNG, WebP, GIF or SVG image.';
  const isVideo = await looksLikeVideo(head);
  return unsupportedType(isVideo ? `${text} It is a video: ${videoWay(bucketId)}` : text);
}

/** What the video calls answer to a file that starts so, which is none; an image is told its way. */
export async function notAVideo(head: Uint8Array, bucketId: string): Promise<AppError> {
  const text = "This video format isn't supported.";
  const isImage = await looksLikeImage(head);
  return unsupportedType(isImage ? `${text} It is an image: ${imageWay(bucketId)}` : text);
}

/** What the image call answers to a form whose size alone says that there is no image in it. */
export const tooLargeForImage = (bucketId: string): string =>
  `Images can be at most 50 MiB. For a video, ${videoWay(bucketId)}`;
