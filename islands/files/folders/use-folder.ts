import type { FileWire, Page } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { usePagedList } from '../../ui/paging/use-paged-list.ts';
import { filesKey } from '../../uploads/shared.ts';
import type { Sorting } from '../file-filters.tsx';
import { isFolderCursorBehind } from './folder-order.ts';

/** A folder in another one. Its id is its path, which ends in '/'. */
export type Folder = { id: string; folder: string };

type Row = Folder | FileWire;

/** Loads a folder page by page, and keeps it up to date. */
export function useFolder(bucketId: string, prefix: string, sorting: Sorting) {
  return usePagedList<Row>({
    within: filesKey(bucketId),
    key: ['folder', prefix, sorting],
    start: '',
    async load(cursor): Promise<Page<Row>> {
      const { folders, data, next } = await call('GET /files/folder/:bucketID', {
        params: { bucketID: bucketId },
        query: { prefix, ...sorting, ...(cursor && { cursor }) },
      });
      const rows = [
        ...folders.map((folder) => ({ id: folder, folder })),
        // Of two files of one name, one has a number in its path.
        ...data.map((file) => ({ ...file, name: file.path.split('/').at(-1) ?? file.name })),
      ];
      return { data: rows, nextId: next };
    },
    isBehind: (cursor, other) => isFolderCursorBehind(cursor, other, sorting),
    isBusy: (row) => 'status' in row && row.status === 'processing',
    // While the folder loads in another order, its rows stay, and with them the focus on what sorts them.
    canKeepRows: (key) => key.at(-2) === prefix,
  });
}
