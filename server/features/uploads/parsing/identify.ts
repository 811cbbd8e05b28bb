import { IMAGE_MAX_BYTES } from '../../../contract/limits.ts';
import type { MediaType } from '../../../contract/wire.ts';
import { keptName } from '../../files/service.ts';
import { type PathFields, placeOf } from './destination.ts';
import { mediaOf, plainTypeOf } from './sniff.ts';
import { notMedia, requireExactImage, tooLargeOf } from './type-errors.ts';

/** What an upload is: an image or a video, which are processed, or a file that is stored as it is. */
export type IdentifiedUpload = { type: MediaType | 'file'; contentType: string };

/** What a client says of an upload, as far as it tells what that is. */
type Claims = {
  fileName: string | undefined;
  fileType: string | undefined;
  destination: PathFields;
  isOptimized: boolean;
};

/** A client that announces an image or a video would be surprised by a file that is neither. */
export const CLAIMS_MEDIA = /^(image|video)\//;

/** Returns what an upload is, by its description and its first bytes. Throws unsupported-type. */
export async function identifyUpload(
  about: Claims,
  head: Uint8Array,
  bucketId: string,
): Promise<IdentifiedUpload> {
  const media = await mediaOf(head);
  const { fileName, fileType, isOptimized } = about;
  if (media?.type === 'image' && !isOptimized) requireExactImage(media.contentType, bucketId);
  // A video without its sizes is a file like any other.
  if (media && (isOptimized || media.type === 'image')) return media;
  if (!media && fileType && CLAIMS_MEDIA.test(fileType)) throw notMedia();
  const { name } = placeOf(about.destination, keptName(fileName, 'file'));
  return { type: 'file', contentType: await plainTypeOf(name, head) };
}

/** The bytes that a server accepts of a video and of a file of any type. */
export type SizeLimits = { maxVideoBytes: number; maxFileBytes: number };

/** Returns how many bytes the server accepts of a type, and what to say of more. */
export function serverLimitOf(
  { maxVideoBytes, maxFileBytes }: SizeLimits,
  type: IdentifiedUpload['type'],
): { maxBytes: number; tooLarge: string } {
  const maxBytes = { image: IMAGE_MAX_BYTES, video: maxVideoBytes, file: maxFileBytes }[type];
  return { maxBytes, tooLarge: tooLargeOf(type, maxBytes) };
}
