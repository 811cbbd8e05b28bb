import Plus from 'lucide-react/icons/plus';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { BucketPreviews } from '../../../server/contract/home/summary.ts';
import { BUCKET_NAME_MAX } from '../../../server/contract/limits.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { count, formatCount } from '../../../server/contract/units.ts';
import type { BucketWire, Page } from '../../../server/contract/wire.ts';
import { openPage } from '../../runtime/page-events.ts';
import { DateRange } from '../../ui/date/date-range.tsx';
import { Button } from '../../ui/form/button.tsx';
import { SearchField, useSearchText } from '../../ui/form/search-field.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { EmptyState, ErrorState, LoadMore } from '../../ui/states.tsx';
import { BucketCard, BucketCardShapes } from './bucket-card.tsx';
import {
  type ListView,
  listParams,
  readListView,
  toBucketFilters,
  useBuckets,
} from './bucket-query.ts';
import { CreateBucket } from './create-bucket.tsx';

/**
 * The user's buckets, whose filters are in the page's URL, and the 'Create Bucket' button.
 * @param props.search the query of the page's URL, for which the page was rendered
 * @param props.first the first page of the buckets that match it
 * @param props.previews the newest files of buckets; those of others are loaded
 * @param props.children what stands below the title
 */
export function BucketList({
  search,
  first,
  previews,
  children,
}: {
  search: string;
  first: Page<BucketWire>;
  previews: BucketPreviews;
  children?: ReactNode;
}) {
  const [params, setParams] = useSearchParams();
  const [isCreating, setCreating] = useState(false);
  const view = readListView(params);
  const filters = toBucketFilters(view);
  const rendered = toBucketFilters(readListView(new URLSearchParams(search)));
  const isFirst = JSON.stringify(filters) === JSON.stringify(rendered);
  const list = useBuckets(filters, { keepsRows: true, ...(isFirst && { first }) });
  const buckets = list.data?.pages.flatMap((page) => page.data) ?? [];
  const change = (part: Partial<ListView>) => setParams(listParams({ ...view, ...part }));
  const isFiltered = view.name !== '' || view.range !== null;

  return (
    <>
      <PageHead title="Your Buckets" text="Each bucket has its own API key and region.">
        <Button className="btn-primary" onClick={() => setCreating(true)}>
          <Plus size={16} aria-hidden />
          Create Bucket
        </Button>
      </PageHead>
      <CreateBucket
        open={isCreating}
        onClose={() => setCreating(false)}
        // The next thing that a new bucket needs is a file.
        onCreated={(bucketId) => openPage(`/dashboard/files/${bucketId}`)}
      />
      {children}
      <BucketFilters
        view={view}
        isLoading={list.isFetching && !list.isFetchingNextPage}
        found={buckets.length > 0 ? countOf(buckets.length, list.hasNextPage) : ''}
        onChange={change}
      />
      <div
        className={`mt-4 ${list.isPlaceholderData ? 'opacity-50' : ''}`}
        aria-busy={list.isFetching}
      >
        {list.isError && buckets.length === 0 ? (
          <ErrorState tried="Your buckets could not be loaded." onRetry={() => list.refetch()} />
        ) : list.data && buckets.length === 0 && !list.hasNextPage ? (
          <EmptyState
            title={MESSAGES.noBuckets}
            text={
              isFiltered ? 'No bucket matches this search.' : 'Create a bucket to upload files.'
            }
          >
            {isFiltered ? (
              <Button onClick={() => setParams({})}>Clear filters</Button>
            ) : (
              <Button onClick={() => setCreating(true)}>Create Bucket</Button>
            )}
          </EmptyState>
        ) : (
          <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
            {list.data ? (
              buckets.map((bucket) => (
                <BucketCard key={bucket.id} bucket={bucket} preview={previews[bucket.id]} />
              ))
            ) : (
              <BucketCardShapes />
            )}
          </ul>
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

/** Returns how many buckets there are, as far as they are loaded. */
const countOf = (loaded: number, hasMore: boolean) =>
  hasMore ? `${formatCount(loaded)}+ buckets` : count(loaded, 'bucket');

/** Filters the buckets by the words of their names and by the date of their creation. */
function BucketFilters({
  view,
  isLoading,
  found,
  onChange,
}: {
  view: ListView;
  isLoading: boolean;
  /** How many buckets are listed. */
  found: string;
  onChange: (part: Partial<ListView>) => void;
}) {
  const [text, setText] = useSearchText(view.name, (name) => onChange({ name }));
  return (
    <search className="mt-6 flex flex-wrap items-center gap-2">
      <SearchField
        label="Search buckets"
        placeholder="Search by name"
        maxLength={BUCKET_NAME_MAX}
        value={text}
        isLoading={isLoading}
        onValue={setText}
      />
      <DateRange
        isLocal
        className="w-full sm:w-72"
        value={view.range}
        onValue={(range) => onChange({ range })}
      />
      <p aria-live="polite" className="numbers text-quiet sm:ml-auto">
        {found}
      </p>
    </search>
  );
}
