import { isBehind } from '../../server/contract/files/file-order.ts';
import { PAGE_SIZE } from '../../server/contract/limits.ts';
import type { FilePageWire, FileWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import type { Pages } from '../ui/paging/pages.ts';
import { usePagedList } from '../ui/paging/use-paged-list.ts';
import { filesKey } from '../uploads/shared.ts';
import { callParamsOf, type FileView, sortingOf } from './file-filters.tsx';

const LISTS = 'lists';

/** The query key of the file lists. There is one list for each set of filters. */
export const listsKey = (bucketId: string) => [...filesKey(bucketId), LISTS];

/**
 * Loads a bucket's files page by page, and keeps them up to date. While another filter loads, the rows of the one
 * before stay.
 * @param folder the folder whose files are listed, with those of the folders in it; null for the whole bucket
 * @param first the page of files that the document was rendered with, and the call's parameters for it
 */
export function useFiles(
  bucketId: string,
  { view, folder }: { view: FileView; folder: string | null },
  first: { page: FilePageWire; query: object },
) {
  const query = callParamsOf(view, folder);
  const { order } = sortingOf(view, 'date');
  return usePagedList<FileWire, FilePageWire>({
    within: filesKey(bucketId),
    key: [LISTS, query],
    start: FIRST,
    first: JSON.stringify(query) === JSON.stringify(first.query) ? first.page : null,
    load: (cursor) =>
      call('GET /files/:bucketID', {
        params: { bucketID: bucketId },
        query: { ...query, cursor, limit: PAGE_SIZE },
      }),
    isBehind: (cursor, other) => isBehind(cursor, other, order),
    isBusy: ({ status }) => status === 'processing',
    canKeepRows: () => true,
  });
}

/** The loaded pages of a list. */
export type FilePages = Pages<FilePageWire>;

export const FIRST = '0';
