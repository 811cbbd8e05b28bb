import { isBehind } from '../../../server/contract/files/file-order.ts';
import type { Sorting } from '../file-filters.tsx';

/** Returns what a cursor of a folder's list stands for: a folder by its path, or a file by its position. */
function parseCursor(cursor: string): { isFolder: boolean; position: string } {
  const bytes = Uint8Array.from(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  );
  const text = new TextDecoder().decode(bytes);
  return { isFolder: text.startsWith('d'), position: text.slice(1) };
}

/** Returns whether a cursor of a folder's list is behind another one. Only by name, folders are between files. */
export function isFolderCursorBehind(
  cursor: string,
  other: string,
  { sort, order }: Sorting,
): boolean {
  const [one, two] = [parseCursor(cursor), parseCursor(other)];
  if (sort === 'name') return isBehind(one.position, two.position, order);
  if (one.isFolder !== two.isFolder) return two.isFolder;
  return isBehind(one.position, two.position, one.isFolder ? 'asc' : order);
}
