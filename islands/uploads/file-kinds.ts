import { IMAGE_MAX_BYTES } from '../../server/contract/limits.ts';
import { truncate } from '../../server/contract/units.ts';
import type { MediaType } from '../../server/contract/wire.ts';
import { relativeFolderOf } from './folders/relative-folder.ts';

/** What a file is uploaded as: an image or a video, which is processed, or a file, which is stored as it is. */
export type UploadKind = MediaType | 'file';

/** A video's thumbnail is one of these. */
export const THUMBNAIL_TYPES = 'image/jpeg,image/png,image/webp,image/gif';
export const IMAGE_TYPES = `${THUMBNAIL_TYPES},image/svg+xml,image/avif,image/heic,image/heif,image/tiff,image/bmp`;
export const VIDEO_TYPES = 'video/mp4,video/x-matroska,.mkv,video/*';

/** Some systems report no type for these, so the extension has to tell. */
const IMAGE_NAME = /\.(heic|heif|avif|tiff?)$/i;
const VIDEO_NAME = /\.(mp4|m4v|mov|mkv|webm|avi|ts|m2ts|flv|ogv|mpe?g|wmv|3gp)$/i;

/** Returns whether a file is an image or a video, or null if it is neither. */
export function kindOf({ type, name }: { type: string; name: string }): MediaType | null {
  if (IMAGE_TYPES.split(',').includes(type)) return 'image';
  if (type.startsWith('video/')) return 'video';
  if (type !== '') return null;
  if (IMAGE_NAME.test(name)) return 'image';
  return VIDEO_NAME.test(name) ? 'video' : null;
}

/** Returns the dialog for dropped files: that for files takes images and videos too. Null where there are none. */
export function dialogFor(files: { type: string; name: string }[]): UploadKind | null {
  const [kind, ...others] = new Set(files.map((file) => kindOf(file) ?? 'file'));
  return others.length > 0 ? 'file' : (kind ?? null);
}

/** Returns whether a file has no bytes, which the server would refuse. */
export const isEmpty = ({ size }: { size: number }) => size === 0;

export const emptyText = ({ name }: { name: string }) => `${truncate(name)} is empty.`;

/**
 * Returns why an image can't be uploaded, as far as a browser can tell; null where nothing is known against
 * it. The server looks at the content of a file whose type the browser does not know.
 */
export function refusalOf(file: { type: string; name: string; size: number }): string | null {
  const isKnown = file.type !== '' || kindOf(file) === 'video';
  if (isKnown && kindOf(file) !== 'image') {
    return `${truncate(file.name)} is not a JPEG, PNG, WebP, GIF, SVG, AVIF, HEIC, TIFF or BMP image.`;
  }
  if (isEmpty(file)) return emptyText(file);
  return file.size > IMAGE_MAX_BYTES ? `${truncate(file.name)} is larger than 50 MiB.` : null;
}

type Named = { name: string; size: number; lastModified: number };

/** Identifies a selected file, as far as a browser can. */
export const keyOf = (file: Named) =>
  `${relativeFolderOf(file)}${file.name}/${file.size}/${file.lastModified}`;

/** Returns the files of `added` that are not in `files` yet. */
export const newOnes = <Given extends Named>(files: readonly Named[], added: Given[]): Given[] => {
  const existingKeys = new Set(files.map(keyOf));
  return added.filter((file) => !existingKeys.has(keyOf(file)));
};

/** Returns the name of two files that would have the same path, so that one would replace the other; null without. */
export function sameName(files: readonly { name: string }[]): string | null {
  const paths = new Set<string>();
  for (const file of files) {
    // The server stores names in this form too.
    const path = `${relativeFolderOf(file)}${file.name}`.normalize('NFC');
    if (paths.has(path)) return file.name;
    paths.add(path);
  }
  return null;
}

export const sameNameText = (name: string) =>
  `Two of these files are named ${truncate(name)}, so one would replace the other. Remove one of them.`;
