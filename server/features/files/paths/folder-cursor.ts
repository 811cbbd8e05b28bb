import { type FileSort, isPosition } from '../../../contract/files/file-order.ts';
import { badRequest } from '../../../errors.ts';
import { isPath } from './paths.ts';

/** Where a page of a folder ends: a folder by its path, a file by its position in the order of the list. */
export type FolderPosition = { isFolder: boolean; position: string };

/** Returns the cursor of the page behind an entry. */
export const folderCursor = ({ isFolder, position }: FolderPosition): string =>
  Buffer.from(`${isFolder ? 'd' : 'f'}${position}`).toString('base64url');

/** Returns the entry of a cursor. By name, the position of a file is its path. Throws bad-request. */
export function parseFolderCursor(cursor: string, sort: FileSort): FolderPosition {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [kind, position] = [text.slice(0, 1), text.slice(1)];
  const isFolder = kind === 'd';
  const isValid =
    isFolder || sort === 'name'
      ? isPath(position) && position.endsWith('/') === isFolder
      : isPosition(sort, position);
  if ((kind !== 'd' && kind !== 'f') || !isValid) {
    throw badRequest('cursor must be a next from an earlier response in the same order.');
  }
  return { isFolder, position };
}
