import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isBehind } from '../../server/contract/files/file-order.ts';
import { PAGE_SIZE } from '../../server/contract/limits.ts';
import type { FilePageWire, FileWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import type { Pages, RowRange } from '../ui/paging/pages.ts';
import { usePageRefresh } from '../ui/paging/use-page-refresh.ts';
import { filesKey } from '../uploads/shared.ts';
import { callParamsOf, type FileView, sortingOf } from './file-filters.tsx';

/** The query key of the file lists. There is one list for each set of filters. */
export const listsKey = (bucketId: string) => [...filesKey(bucketId), 'lists'];

/**
 * Loads a bucket's files page by page, and keeps them up to date.
 * @param folder the folder whose files are listed, with those of the folders in it; null for the whole bucket
 * @param first the page of files that the document was rendered with, and the call's parameters for it
 * @param visibleRows the first and the last visible row
 */
export function useFiles(
  bucketId: string,
  { view, folder }: { view: FileView; folder: string | null },
  first: { page: FilePageWire; query: object },
  visibleRows: RowRange,
) {
  const query = callParamsOf(view, folder);
  const isFirst = JSON.stringify(query) === JSON.stringify(first.query);
  const [openedAt] = useState(Date.now);
  const load = (cursor: string): Promise<FilePageWire> =>
    call('GET /files/:bucketID', {
      params: { bucketID: bucketId },
      query: { ...query, cursor, limit: PAGE_SIZE },
    });

  const listKey = [...listsKey(bucketId), query];
  const list = useInfiniteQuery<FilePageWire, Error, FilePages, QueryKey, string>({
    queryKey: listKey,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: FIRST,
    getNextPageParam: (page: FilePageWire) => page.nextId,
    // While another filter loads, the rows of the one before stay.
    placeholderData: keepPreviousData,
    // A refetch would load all pages again, which are hundreds in a large bucket.
    staleTime: 'static',
    ...(isFirst && {
      initialData: { pages: [first.page], pageParams: [FIRST] },
      initialDataUpdatedAt: openedAt,
    }),
  });
  const { order } = sortingOf(view, 'date');
  usePageRefresh({
    listKey,
    refreshKey: [...filesKey(bucketId), 'refresh', query],
    load,
    isBehind: (cursor, other) => isBehind(cursor, other, order),
    isBusy: isProcessing,
    list: list.isPlaceholderData ? undefined : list.data,
    since: list.dataUpdatedAt,
    visibleRows,
  });
  return list;
}

const isProcessing = ({ status }: FileWire) => status === 'processing';

/** The loaded pages of a list. */
export type FilePages = Pages<FilePageWire>;

export const FIRST = '0';
