import type { InfiniteData } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type { Page } from '../../../server/contract/wire.ts';
import { Button } from '../../ui/form/button.tsx';
import { EmptyState, ErrorState, Spinner } from '../../ui/states.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';

type List<Row> = {
  data: InfiniteData<Page<Row>> | undefined;
  isPending: boolean;
  isError: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => unknown;
  refetch: () => unknown;
};

/** A list in whatever state it is: `children` show its rows, and what comes after them. */
export function ListBody<Row>({
  list,
  what,
  isNarrowed,
  onClear,
  children,
}: {
  list: List<Row>;
  /** 'buckets' */
  what: string;
  isNarrowed: boolean;
  onClear: () => void;
  children: (rows: Row[], isWhole: boolean, after: ReactNode) => ReactNode;
}) {
  const pages = list.data?.pages;
  const rows = useMemo(() => pages?.flatMap((page) => page.data) ?? [], [pages]);
  const more = list.hasNextPage && (
    <LoadMore
      loading={list.isFetchingNextPage}
      failed={list.isFetchNextPageError}
      onNear={list.fetchNextPage}
    />
  );
  return (
    <div className="mt-4" aria-busy={list.isPending}>
      {list.isPending ? (
        <div className="grid h-80 place-items-center">
          <Spinner />
        </div>
      ) : list.isError && rows.length === 0 ? (
        <ErrorState tried={`The ${what} could not be loaded.`} onRetry={() => list.refetch()} />
      ) : rows.length === 0 ? (
        <EmptyState
          title={`No ${what} here.`}
          text={isNarrowed ? 'Nothing matches these filters.' : 'Nothing here yet.'}
        >
          {isNarrowed && <Button onClick={onClear}>Clear filters</Button>}
        </EmptyState>
      ) : (
        children(rows, !list.hasNextPage, more)
      )}
    </div>
  );
}
