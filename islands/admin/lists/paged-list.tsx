import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import {
  type AdminBucketSort,
  type AdminUserSort,
  defaultOrderOf,
  isCursorBehind,
} from '../../../server/contract/admin/list-orders.ts';
import type { SortOrder } from '../../../server/contract/files/file-order.ts';
import { count, formatCount } from '../../../server/contract/units.ts';
import type { Page } from '../../../server/contract/wire.ts';
import { Button } from '../../ui/form/button.tsx';
import { type PagedList, PagedState } from '../../ui/paged-state.tsx';
import type { RowRange } from '../../ui/paging/pages.ts';
import { usePageRefresh } from '../../ui/paging/use-page-refresh.ts';
import { EmptyState, ErrorState } from '../../ui/states.tsx';

const FIRST = '0';

/** The filters of a list, and its order, which is newest first without a `sort`. */
type ListQuery = { from?: string; sort?: AdminBucketSort | AdminUserSort; order?: SortOrder };

/**
 * Loads a list of the admin pages page by page, and reloads what can be seen of it after each change.
 * @param first the page of rows that the document was rendered with, and its filters
 */
export function useList<Row extends { id: string }, Query extends ListQuery>(
  name: string,
  query: Query,
  first: { page: Page<Row>; query: Query },
  load: (query: Query & { cursor: string }) => Promise<Page<Row>>,
) {
  const isFirst = JSON.stringify(query) === JSON.stringify(first.query);
  const [openedAt] = useState(Date.now);
  const [visibleRows, setVisibleRows] = useState<RowRange>([0, 0]);
  const listKey = ['admin', name, query];
  const list = useInfiniteQuery<
    Page<Row>,
    Error,
    InfiniteData<Page<Row>, string>,
    QueryKey,
    string
  >({
    queryKey: listKey,
    queryFn: ({ pageParam }) => load({ ...query, cursor: pageParam }),
    initialPageParam: FIRST,
    getNextPageParam: (page) => page.nextId,
    // The rows of the filter before stay until those of the new one are there.
    placeholderData: keepPreviousData,
    staleTime: 'static',
    ...(isFirst && {
      initialData: { pages: [first.page], pageParams: [FIRST] },
      initialDataUpdatedAt: openedAt,
    }),
  });
  const { sort, order = sort ? defaultOrderOf(sort) : 'desc' } = query;
  usePageRefresh({
    listKey,
    refreshKey: ['admin', `refresh ${name}`, query],
    load: (cursor) => load({ ...query, cursor }),
    isBehind: (cursor, other) => isCursorBehind(cursor, other, order),
    // It disappears without an action of the admin.
    isBusy: isBeingDeleted,
    list: list.isPlaceholderData ? undefined : list.data,
    since: list.dataUpdatedAt,
    visibleRows,
  });
  return { ...list, onVisibleRows: setVisibleRows };
}

const isBeingDeleted = (row: object) => 'status' in row && row.status === 'deleting';

/** Returns the ids of the rows that are loaded. */
export const idsIn = (data: InfiniteData<Page<{ id: string }>> | undefined): string[] =>
  data?.pages.flatMap((page) => page.data.map(({ id }) => id)) ?? [];

/** Returns how many rows a list has, such as ' 12 buckets.', as far as it is loaded; nothing before and where it has none. */
export function countText(list: List<unknown>, noun: string): string {
  const rows = list.data?.pages.reduce((sum, page) => sum + page.data.length, 0) ?? 0;
  if (rows === 0 || list.isPlaceholderData) return '';
  return list.hasNextPage
    ? ` The first ${formatCount(rows)} are loaded.`
    : ` ${count(rows, noun)}.`;
}

type List<Row> = PagedList & {
  data: InfiniteData<Page<Row>> | undefined;
  isPlaceholderData: boolean;
};

/** Shows a list, or its loading, error or empty state. `children` render the rows and what follows. */
export function ListBody<Row>({
  list,
  what,
  isNarrowed,
  onClear,
  children,
}: {
  list: List<Row>;
  /** What is listed, such as 'buckets'. */
  what: string;
  isNarrowed: boolean;
  onClear: () => void;
  children: (rows: Row[], isComplete: boolean, after: ReactNode) => ReactNode;
}) {
  const pages = list.data?.pages;
  const rows = useMemo(() => pages?.flatMap((page) => page.data) ?? [], [pages]);
  return (
    <div
      className={`mt-4 ${list.isPlaceholderData ? 'opacity-50' : ''}`}
      aria-busy={list.isPending || list.isPlaceholderData}
    >
      <PagedState
        list={list}
        count={rows.length}
        failure={
          <ErrorState tried={`The ${what} could not be loaded.`} onRetry={() => list.refetch()} />
        }
        empty={
          <EmptyState
            title={`No ${what} here.`}
            text={isNarrowed ? 'Nothing matches these filters.' : 'Nothing here yet.'}
          >
            {isNarrowed && <Button onClick={onClear}>Clear filters</Button>}
          </EmptyState>
        }
      >
        {(after) =>
          // A search looks through a bounded number of rows for each page, and may find none in them.
          rows.length === 0 ? after : children(rows, !list.hasNextPage, after)
        }
      </PagedState>
    </div>
  );
}
