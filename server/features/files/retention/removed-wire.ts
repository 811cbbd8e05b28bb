import type { RemovedFileWire } from '../../../contract/wire.ts';
import { badRequest } from '../../../errors.ts';
import type { RemovedRow, TrashPosition } from './retention-store.ts';

/** Returns a file of the trash, or an earlier version, as the API shows it. It has no URL. */
export const toRemovedWire = (row: RemovedRow): RemovedFileWire => ({
  id: row.id,
  name: row.name,
  path: row.path,
  content_type: row.content_type,
  size: row.size,
  file_type: row.file_type,
  access: row.access,
  sha256: row.sha256,
  date: new Date(row.created_at).toISOString(),
  removed_at: new Date(row.superseded_at).toISOString(),
  delete_at: row.purge_at === null ? null : new Date(row.purge_at).toISOString(),
});

const CURSOR = /^(\d{1,15})-([0-9a-z]{26})$/;

/** Returns the cursor of the page behind a file of the trash. */
export const trashCursor = ({ superseded_at, id }: RemovedRow): string => `${superseded_at}-${id}`;

/** Returns the position of a cursor. Throws bad-request. */
export function parseTrashCursor(cursor: string): TrashPosition {
  const [, removedAt, id] = CURSOR.exec(cursor) ?? [];
  if (!removedAt || !id) throw badRequest('cursor must be a next from an earlier response.');
  return { removedAt: Number(removedAt), id };
}
