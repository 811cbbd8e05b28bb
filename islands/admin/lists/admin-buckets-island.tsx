import X from 'lucide-react/icons/x';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import type { AdminBucketSort } from '../../../server/contract/admin/list-orders.ts';
import { BUCKET_NAME_MAX } from '../../../server/contract/limits.ts';
import { formatBalance } from '../../../server/contract/money.ts';
import { REGIONS } from '../../../server/contract/regions.ts';
import { formatBytes, formatCount, truncate } from '../../../server/contract/units.ts';
import type { AdminBucketWire, Page } from '../../../server/contract/wire.ts';
import { deletionImpactText } from '../../accounts/shared.ts';
import { call } from '../../runtime/api.ts';
import { DateRange } from '../../ui/date/date-range.tsx';
import { Time } from '../../ui/date/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { SearchField, useSearchText } from '../../ui/form/search-field.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { PageRouter } from '../../ui/page-router.tsx';
import { openBy, useOpenItem } from '../../ui/use-opened.ts';
import { BucketDrawer } from '../drawers/bucket-drawer.tsx';
import { type BucketView, bucketParams, bucketQuery, readBucketView } from '../views.ts';
import {
  AdminTable,
  type Column,
  DetailsLink,
  figure,
  onCard,
  visibleColumns,
} from './admin-table.tsx';
import { countText, ListBody, useList } from './paged-list.tsx';
import { SortChoice, toSortHead } from './sorting.tsx';
import { BanDialog, RemovalDialog, SubjectMenu } from './subject-actions.tsx';

type Props = { path: string; search: string; first: Page<AdminBucketWire> };

const PARAMETER = 'bucket';

const SORTS = { usage: 'Usage', bandwidth: 'Bandwidth', spend: 'Spend' };

const COLUMNS: (Column<AdminBucketWire, AdminBucketSort> & { isExtra?: boolean })[] = [
  {
    label: 'Region',
    className: 'md:w-18',
    card: onCard,
    cell: ({ region }) => (
      <span title={region ? REGIONS[region] : undefined}>{region ?? 'Default'}</span>
    ),
  },
  {
    label: 'Name',
    card: 'max-md:-order-1 max-md:w-full max-md:truncate max-md:pr-9',
    cell: ({ id, name, status }) => (
      <DetailsLink name={PARAMETER} id={id} mark={status === 'banned' ? 'Banned' : null}>
        {truncate(name)}
      </DetailsLink>
    ),
  },
  {
    label: 'Owner',
    className: 'md:w-52',
    isExtra: true,
    cell: ({ owner }) => (
      <a href={`/admin/users?user=${owner.id}`} className="text-quiet hover:underline">
        {owner.email ?? owner.id}
      </a>
    ),
  },
  {
    label: 'Usage',
    ...figure('md:w-26'),
    sort: 'usage',
    cell: ({ usage }) => formatBytes(usage),
  },
  {
    label: 'Bandwidth',
    ...figure('md:w-26'),
    sort: 'bandwidth',
    cell: ({ bandwidth }) => (
      <>
        {formatBytes(bandwidth)}
        <span className="md:hidden"> sent</span>
      </>
    ),
  },
  {
    label: 'Spend',
    ...figure('md:w-22'),
    sort: 'spend',
    isExtra: true,
    cell: ({ spend }) => (
      <>
        {formatBalance(spend)}
        <span className="md:hidden"> charged</span>
      </>
    ),
  },
  {
    label: 'Total Uploads',
    ...figure('md:w-26'),
    cell: ({ total_uploads }) => (
      <>
        {formatCount(total_uploads)}
        <span className="md:hidden"> {total_uploads === 1 ? 'file' : 'files'}</span>
      </>
    ),
  },
  {
    label: 'Created at',
    className: 'md:w-30 md:text-right',
    card: 'max-md:w-full max-md:text-xs max-md:text-quiet',
    cell: ({ date }) => <Time iso={date} />,
  },
];

/** The buckets of all users. The filters are in the page's URL. */
export default function AdminBucketsIsland(props: Props) {
  return (
    <PageRouter path={props.path} search={props.search}>
      <Buckets {...props} />
    </PageRouter>
  );
}

function Buckets({ search, first }: Props) {
  const [params, setParams] = useSearchParams();
  const view = readBucketView(params);
  const change = (part: Partial<BucketView>) => setParams(bucketQuery({ ...view, ...part }));
  const [text, setText] = useSearchText(view.name, (name) => change({ name }));
  const rendered = {
    page: first,
    query: bucketParams(readBucketView(new URLSearchParams(search))),
  };
  const list = useList('buckets', bucketParams(view), rendered, (query) =>
    call('GET /admin/buckets', { query }),
  );
  const columns = visibleColumns(COLUMNS, view.sort);
  const openBucket = useOpenItem(PARAMETER);
  const [banned, setBanned] = useState<AdminBucketWire | null>(null);
  const [bucketToDelete, setBucketToDelete] = useState<AdminBucketWire | null>(null);

  return (
    <>
      <PageHead title="Buckets" text={headOf(view) + countText(list, 'bucket')} />
      <search aria-label="Filters" className="mt-6 flex flex-wrap items-center gap-2">
        <SearchField
          label="Search buckets"
          placeholder="Search by name"
          maxLength={BUCKET_NAME_MAX}
          value={text}
          isLoading={list.isFetching && !list.isFetchingNextPage}
          onValue={setText}
        />
        <DateRange
          isLocal
          className="w-full sm:w-72"
          value={view.range}
          onValue={(range) => change({ range })}
        />
        {view.owner && (
          <OwnerFilter
            owner={list.data?.pages[0]?.data[0]?.owner}
            onClear={() => change({ owner: undefined })}
          />
        )}
        <SortChoice options={SORTS} value={view} onSort={change} />
      </search>
      <ListBody
        list={list}
        what="buckets"
        isNarrowed={Object.keys(bucketQuery({ ...view, sort: undefined })).length > 0}
        onClear={() => setParams({})}
      >
        {(rows, isComplete, after) => (
          <AdminTable
            key={JSON.stringify(bucketQuery(view))}
            label="All buckets"
            rows={rows}
            isComplete={isComplete}
            onVisibleRows={list.onVisibleRows}
            columns={columns}
            heads={columns.map((column) =>
              column.sort ? toSortHead(column, column.sort, view, change) : column,
            )}
            nameOf={({ name }) => name}
            menu={(bucket) => (
              <SubjectMenu
                isBanned={bucket.status === 'banned'}
                canAct={bucket.status !== 'deleting'}
                onDetails={() => openBy(PARAMETER, bucket.id)}
                onBan={() => setBanned(bucket)}
                onDelete={() => setBucketToDelete(bucket)}
              />
            )}
          >
            {after}
          </AdminTable>
        )}
      </ListBody>
      <BucketDrawer item={openBucket} ids={list.rows.map(({ id }) => id)} />
      <BanDialog
        target={banned && { kind: 'bucket', ...banned, isBanned: banned.status === 'banned' }}
        onClose={() => setBanned(null)}
      />
      <RemovalDialog
        target={
          bucketToDelete && {
            kind: 'bucket',
            ...bucketToDelete,
            loss: deletionImpactText({
              files: bucketToDelete.total_uploads,
              bytes: bucketToDelete.usage,
            }),
          }
        }
        onClose={() => setBucketToDelete(null)}
      />
    </>
  );
}

/** Says what is listed, and in which order. What is sent and charged is that of this month. */
const headOf = ({ sort }: BucketView) =>
  sort === 'bandwidth' || sort === 'spend'
    ? `Every bucket on this server, by ${SORTS[sort].toLowerCase()} this month (UTC).`
    : `Every bucket on this server, ${sort ? 'by usage' : 'newest first'}.`;

/** Whose buckets are listed; all again after a click. */
function OwnerFilter({
  owner,
  onClear,
}: {
  /** Undefined while no bucket of theirs is loaded. */
  owner: AdminBucketWire['owner'] | undefined;
  onClear: () => void;
}) {
  return (
    <span className="flex max-w-full min-w-0 flex-wrap items-center gap-2">
      <Button className="max-w-full min-w-0 shrink" onClick={onClear}>
        <span className="truncate">Owner {owner?.email ?? owner?.id ?? 'without buckets'}</span>
        <X size={16} aria-hidden className="shrink-0" />
        <span className="sr-only">Show the buckets of all owners</span>
      </Button>
      {owner && (
        <a className="link" href={`/admin/users?user=${owner.id}`}>
          View account
        </a>
      )}
    </span>
  );
}
