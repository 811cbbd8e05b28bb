import type { FileType } from '../../../server/contract/wire.ts';

export const IMAGE_TYPES = 'image/jpeg,image/png,image/webp,image/gif,image/svg+xml';
export const VIDEO_TYPES = 'video/mp4,video/x-matroska,.mkv,video/*';

/** Systems do not know every video's type; then its ending tells. */
const VIDEO_NAME = /\.(mp4|m4v|mov|mkv|webm|avi|ts|m2ts|flv|ogv|mpe?g|wmv|3gp)$/i;

/** Which dialog a file belongs to; null for none. */
export function kindOf({ type, name }: { type: string; name: string }): FileType | null {
  if (IMAGE_TYPES.split(',').includes(type)) return 'image';
  if (type.startsWith('video/')) return 'video';
  return type === '' && VIDEO_NAME.test(name) ? 'video' : null;
}

/**
 * What to do with files that were dropped: the first that is an image or a video decides which
 * dialog they go to. `left` counts the others.
 */
export function sortDropped<Given extends { type: string; name: string }>(files: Given[]) {
  const kind = files.map(kindOf).find((one) => one !== null) ?? null;
  const taken = kind ? files.filter((file) => kindOf(file) === kind) : [];
  return { kind, taken, left: files.length - taken.length };
}

type Named = { name: string; size: number; lastModified: number };

/** What tells chosen files apart. */
export const keyOf = ({ name, size, lastModified }: Named) => `${name}/${size}/${lastModified}`;

/** Those of `added` that are not in `files` yet. */
export const newOnes = <Given extends Named>(files: readonly Named[], added: Given[]): Given[] => {
  const known = new Set(files.map(keyOf));
  return added.filter((file) => !known.has(keyOf(file)));
};
