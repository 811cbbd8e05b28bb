import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { FileWire, Page } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import type { Pages, RowRange } from '../../ui/paging/pages.ts';
import { usePageRefresh } from '../../ui/paging/use-page-refresh.ts';
import { filesKey } from '../../uploads/shared.ts';
import type { Sorting } from '../file-filters.tsx';
import { isFolderCursorBehind } from './folder-order.ts';

/** A folder in another one. Its id is its path, which ends in '/'. */
export type Folder = { id: string; folder: string };

type Row = Folder | FileWire;

/** Loads a folder page by page, and reloads what can be seen of it after an event about the bucket's files. */
export function useFolder(bucketId: string, prefix: string, sorting: Sorting) {
  const [visibleRows, setVisibleRows] = useState<RowRange>([0, 0]);
  const load = async (cursor: string): Promise<Page<Row>> => {
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
  };
  const listKey = [...filesKey(bucketId), 'folder', prefix, sorting];
  const list = useInfiniteQuery<Page<Row>, Error, Pages<Page<Row>>, QueryKey, string>({
    queryKey: listKey,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: '',
    getNextPageParam: ({ nextId }) => nextId,
    // While the folder loads in another order, its rows stay, and with them the focus on what sorts them.
    placeholderData: (before, query) => (query?.queryKey.at(-2) === prefix ? before : undefined),
    staleTime: 'static',
  });
  usePageRefresh({
    listKey,
    refreshKey: [...filesKey(bucketId), 'refresh folder', prefix, sorting],
    load,
    isBehind: (cursor, other) => isFolderCursorBehind(cursor, other, sorting),
    isBusy: (row) => 'status' in row && row.status === 'processing',
    list: list.isPlaceholderData ? undefined : list.data,
    since: list.dataUpdatedAt,
    visibleRows,
  });
  const pages = list.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ data }) => data) ?? [], [pages]);
  return { ...list, rows, onVisibleRows: setVisibleRows };
}
