import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PAGE_SIZE } from '../../../server/contract/limits.ts';
import type { FilePageWire } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { type FileView, paramsOf } from '../filters/view.ts';
import { FIRST, type FilePages } from './file-pages.ts';
import { useRefresh } from './use-refresh.ts';

/** All that is kept of a bucket's files: invalidating it brings what is shown up to date. */
export const filesKey = (bucketId: string) => ['files', bucketId];

/** The loaded files, in a list for each view. */
export const listsKey = (bucketId: string) => [...filesKey(bucketId), 'lists'];

/**
 * A bucket's files in a view, newest first, page by page, and kept up to date by themselves.
 * @param first what the page was rendered with, and the view that it belongs to
 * @param shown the first and the last row that can be seen
 */
export function useFiles(
  bucketId: string,
  view: FileView,
  first: { page: FilePageWire; view: FileView },
  shown: readonly [number, number],
) {
  const query = paramsOf(view);
  const isFirst = JSON.stringify(query) === JSON.stringify(paramsOf(first.view));
  const [opened] = useState(Date.now);
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
    // It would be all pages that are asked for again, hundreds in a large bucket.
    staleTime: 'static',
    ...(isFirst && {
      initialData: { pages: [first.page], pageParams: [FIRST] },
      initialDataUpdatedAt: opened,
    }),
  });
  useRefresh({
    ownKey: [...filesKey(bucketId), 'refresh', query],
    listKey,
    load,
    list: list.data,
    since: list.dataUpdatedAt,
    shown,
  });
  return list;
}
