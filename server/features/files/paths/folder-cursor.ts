import { badRequest } from '../../../errors.ts';
import type { FolderEntry } from './folder-store.ts';
import { isPath } from './paths.ts';

/** Returns the cursor of the page behind an entry. */
export const folderCursor = ({ path, isFolder }: FolderEntry): string =>
  Buffer.from(`${isFolder ? 'd' : 'f'}${path}`).toString('base64url');

/** Returns the entry of a cursor. Throws bad-request. */
export function parseFolderCursor(cursor: string): FolderEntry {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [kind, path] = [text.slice(0, 1), text.slice(1)];
  if ((kind !== 'd' && kind !== 'f') || !isPath(path) || path.endsWith('/') !== (kind === 'd')) {
    throw badRequest('cursor must be a next from an earlier response.');
  }
  return { path, isFolder: kind === 'd' };
}
