import type { ReactNode } from 'react';
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
import { usePagedList } from '../../ui/paging/use-paged-list.ts';
import { EmptyState, ErrorState } from '../../ui/states.tsx';

const FIRST = '0';

/** The filters of a list, and its order, which is newest first without a `sort`. */
type ListQuery = { from?: string; sort?: AdminBucketSort | AdminUserSort; order?: SortOrder };

/**
 * Loads a list of the admin pages page by page, and keeps it up to date. While another filter loads, the rows of the one
 * before stay.
 * @param first the page of rows that the document was rendered with, and its filters
 */
export function useList<Row extends { id: string }, Query extends ListQuery>(
  name: string,
  query: Query,
  first: { page: Page<Row>; query: Query },
  load: (query: Query & { cursor: string }) => Promise<Page<Row>>,
) {
  const { sort, order = sort ? defaultOrderOf(sort) : 'desc' } = query;
  return usePagedList<Row>({
    within: ['admin'],
    key: [name, query],
    start: FIRST,
    first: JSON.stringify(query) === JSON.stringify(first.query) ? first.page : null,
    load: (cursor) => load({ ...query, cursor }),
    isBehind: (cursor, other) => isCursorBehind(cursor, other, order),
    // It disappears without an action of the admin.
    isBusy: isBeingDeleted,
    canKeepRows: () => true,
  });
}

const isBeingDeleted = (row: object) => 'status' in row && row.status === 'deleting';

/** Returns how many rows a list has, such as ' 12 buckets.', as far as it is loaded; nothing before and where it has none. */
export function countText(list: List<unknown>, noun: string): string {
  const rows = list.rows.length;
  if (rows === 0 || list.isPlaceholderData) return '';
  return list.hasNextPage
    ? ` The first ${formatCount(rows)} are loaded.`
    : ` ${count(rows, noun)}.`;
}

type List<Row> = PagedList & { rows: Row[]; isPlaceholderData: boolean };

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
  const { rows } = list;
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
