import { createContext, type ReactNode } from 'react';
import { LoadMore, Spinner } from './states.tsx';

/** A list that is loaded page by page, as `useInfiniteQuery` returns it. */
export type PagedList = {
  isPending: boolean;
  isError: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  refetch: () => unknown;
  fetchNextPage: () => unknown;
};

/** Whether the next page of the list around could not be loaded, and waits for 'Try again'. */
export const NextPageFailed = createContext(false);

/**
 * Shows a list, or what stands in its place while it is loading, failed or empty.
 * @param props.count how many rows are loaded; a search may have found none yet although it has a next page
 * @param props.children renders the rows, with what loads the next page behind the last one
 */
export function PagedState({
  list,
  count,
  failure,
  empty,
  children,
}: {
  list: PagedList;
  count: number;
  failure: ReactNode;
  empty: ReactNode;
  children: (after: ReactNode) => ReactNode;
}) {
  if (list.isPending) {
    return (
      <div className="grid h-80 place-items-center">
        <Spinner />
      </div>
    );
  }
  if (count === 0 && list.isError) return failure;
  if (count === 0 && !list.hasNextPage) return empty;
  return (
    <NextPageFailed value={list.isFetchNextPageError}>
      {children(
        list.hasNextPage && (
          <LoadMore
            loading={list.isFetchingNextPage}
            failed={list.isFetchNextPageError}
            onNear={list.fetchNextPage}
          />
        ),
      )}
    </NextPageFailed>
  );
}
