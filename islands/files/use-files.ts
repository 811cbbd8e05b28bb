import { useInfiniteQuery } from '@tanstack/react-query';
import { MINUTE, PAGE_SIZE, SECOND } from '../../server/contract/limits.ts';
import type { FilePageWire } from '../../server/contract/wire.ts';
import { api, call } from '../api.ts';

const FIRST = '0';
const PROCESSING_INTERVAL = 2 * SECOND;
/** The first page's token for private files lives an hour. */
const TOKEN_INTERVAL = 30 * MINUTE;

export const filesKey = (bucketId: string) => ['files', bucketId];

/** A bucket's files, newest first, page by page; they refetch by themselves while any is processed. */
export const useFiles = (bucketId: string, first: FilePageWire) =>
  useInfiniteQuery({
    queryKey: filesKey(bucketId),
    queryFn: ({ pageParam }) =>
      call(
        api.files({ bucketID: bucketId }).get({ query: { cursor: pageParam, limit: PAGE_SIZE } }),
      ),
    initialPageParam: FIRST,
    initialData: { pages: [first], pageParams: [FIRST] },
    getNextPageParam: (page: FilePageWire) => page.nextId,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.data.some((file) => file.status === 'processing'))
        ? PROCESSING_INTERVAL
        : TOKEN_INTERVAL,
  });
