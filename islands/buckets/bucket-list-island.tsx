import Search from 'lucide-react/icons/search';
import { useState } from 'react';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { BucketWire, Page } from '../../server/contract/wire.ts';
import { LoadMore } from '../ui/load-more.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { BucketCard } from './bucket-card.tsx';
import { CreateBucket } from './create-bucket.tsx';
import { useBuckets } from './use-buckets.ts';
import { useDebounced } from './use-debounced.ts';

const SEARCH_DEBOUNCE_MS = 800;

/** The dashboard: every bucket of the viewer, a search, and a way to make one. */
export default function BucketListIsland({ first }: { first: Page<BucketWire> }) {
  const [search, setSearch] = useState('');
  const name = useDebounced(search.trim().replace(/\s+/g, '&'), SEARCH_DEBOUNCE_MS);
  const list = useBuckets(name, first);
  const buckets = list.data?.pages.flatMap((page) => page.data) ?? [];

  return (
    <>
      <PageHead title="Your Buckets" text="Each holds files, with its own key and region.">
        <CreateBucket />
      </PageHead>
      <label className="input mt-6 w-full sm:w-80">
        <Search size={16} aria-hidden className="text-quiet" />
        <input
          type="search"
          aria-label="Search buckets"
          placeholder="Search by name"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </label>
      <div className="mt-4" aria-busy={list.isFetching}>
        {list.isPending ? (
          <div className="flex h-40 items-center justify-center">
            <Spinner />
          </div>
        ) : list.isError && buckets.length === 0 ? (
          <ErrorState tried="Your buckets could not be loaded." onRetry={() => list.refetch()} />
        ) : buckets.length === 0 ? (
          <EmptyState
            title={MESSAGES.noBuckets}
            text={
              name === ''
                ? 'Create one to upload images and videos.'
                : 'No name has all of these words.'
            }
          />
        ) : (
          <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
            {buckets.map((bucket) => (
              <BucketCard key={bucket.id} bucket={bucket} />
            ))}
          </div>
        )}
        {list.hasNextPage && (
          <LoadMore
            loading={list.isFetchingNextPage}
            failed={list.isFetchNextPageError}
            onNear={list.fetchNextPage}
          />
        )}
      </div>
    </>
  );
}
