import { Elysia } from 'elysia';
import type { ReactNode } from 'react';
import { BucketStatusMark } from '../../../islands/buckets/list/bucket-card.tsx';
import { CopyButton } from '../../../islands/ui/copy-button.tsx';
import { Time } from '../../../islands/ui/date/time.tsx';
import { PageHead } from '../../../islands/ui/page-head.tsx';
import { paramsOf, readView } from '../../../islands/usage/view.ts';
import { MESSAGES } from '../../contract/messages.ts';
import { REGIONS } from '../../contract/regions.ts';
import { formatBytes, formatCount, formatFigure } from '../../contract/units.ts';
import type {
  BucketWire,
  ChartQuery,
  ChartWire,
  StorageWire,
  TopFilesQuery,
  TopFilesWire,
} from '../../contract/wire.ts';
import { AppError, badRequest } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { Island } from '../../web/islands/island.tsx';
import { BucketFrame } from '../../web/layout/bucket-frame.tsx';
import { type PrivateSite, privatePage } from '../../web/render/page.tsx';
import { dayOf, dayText } from './periods.ts';
import { TopFilesCard } from './top-files/card.tsx';

type Requests = { requests: number; cached: number };

type Services = PrivateSite & {
  buckets: {
    get(userId: string, bucketId: string): Promise<BucketWire>;
    quotas: { storageOf(userId: string): Promise<StorageWire> };
  };
  usage: {
    chart(bucketId: string, query: ChartQuery): Promise<ChartWire>;
    requestsOf(bucketId: string): Promise<Requests>;
    topFiles: { of(bucketId: string, query: TopFilesQuery): Promise<TopFilesWire> };
  };
  clock: Clock;
};

/** Mounts the overview page of a bucket. */
export function usagePages(services: Services) {
  const { buckets, usage, clock } = services;

  /**
   * Resolves with null where the query of the page's URL is not valid, which the page then says.
   */
  const chartOf = (bucketId: string, search: string) =>
    usage.chart(bucketId, paramsOf(readView(new URLSearchParams(search)))).catch((error) => {
      if (error instanceof AppError && error.status === 422) return null;
      throw error;
    });

  return new Elysia({ name: 'usage-pages', detail: { hide: true } })
    .get('/dashboard/bucket', ({ request }) =>
      privatePage(services, request, async () => {
        throw badRequest(MESSAGES.noBucketId);
      }),
    )
    .get('/dashboard/bucket/:bucketID', ({ request, params }) =>
      privatePage(services, request, async (viewer) => {
        const bucket = await buckets.get(viewer.userId, params.bucketID);
        const { pathname: path, search } = new URL(request.url);
        const [chart, storage, requests, top] = await Promise.all([
          chartOf(bucket.id, search),
          buckets.quotas.storageOf(viewer.userId),
          usage.requestsOf(bucket.id),
          usage.topFiles.of(bucket.id, {}),
        ]);
        const today = dayText(dayOf(clock()));
        return {
          title: `Overview of ${bucket.name}`,
          at: bucket,
          body: (
            <BucketFrame bucket={bucket} current="/dashboard/bucket">
              <PageHead
                title="Overview"
                text="Daily storage, bandwidth and requests of this bucket, in UTC."
              />
              <Figures bucket={bucket} storage={storage} {...requests} />
              <Island name="overview" props={{ bucketId: bucket.id, path, search, today, chart }} />
              <TopFilesCard bucketId={bucket.id} files={top.files} />
              <Facts bucket={bucket} />
            </BucketFrame>
          ),
        };
      }),
    );
}

/** What a bucket holds and sends, and how full the account is. */
function Figures({
  bucket,
  storage,
  requests,
  cached,
}: { bucket: BucketWire; storage: StorageWire } & Requests) {
  return (
    <>
      <dl className="mt-6 grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-5">
        <Figure label="Stored" value={formatBytes(bucket.usage)} />
        <Figure label="Files" value={formatCount(bucket.total_uploads)} />
        <Figure label="Bandwidth this month" value={formatBytes(bucket.bandwidth)} />
        <Figure label="Requests this month" value={formatCount(requests)} />
        <Figure
          label="Served from cache"
          value={requests > 0 ? `${formatFigure((100 * cached) / requests)}%` : '–'}
        />
      </dl>
      {storage.limit !== null && <AccountStorage {...storage} limit={storage.limit} />}
    </>
  );
}

/** The properties of a bucket. */
function Facts({ bucket }: { bucket: BucketWire }) {
  return (
    <dl className="card mt-3 divide-y divide-base-300 px-4">
      <Fact label="Status">
        <BucketStatusMark status={bucket.status} />
      </Fact>
      <Fact label="Region">{bucket.region ? REGIONS[bucket.region] : 'Default region'}</Fact>
      <Fact label="Created at">
        <Time iso={bucket.date} />
      </Fact>
      <Fact label="Bucket ID">
        <code className="truncate font-mono text-xs">{bucket.id}</code>
        <CopyButton text={bucket.id} label="Copy bucket ID" />
      </Fact>
    </dl>
  );
}

/** What all buckets of the account store, beside the limit of the account. */
function AccountStorage({ stored, unfinished, limit }: StorageWire & { limit: number }) {
  const used = stored + unfinished;
  const isNearlyFull = used >= 0.9 * limit;
  return (
    <section aria-labelledby="account-storage" className="card mt-3 p-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 id="account-storage" className="text-quiet">
          Account storage
        </h2>
        <p className="numbers font-semibold">
          {formatBytes(used)} of {formatBytes(limit)}
        </p>
      </div>
      <progress
        aria-labelledby="account-storage"
        className={`progress mt-2 block ${isNearlyFull ? 'progress-error' : 'progress-primary'}`}
        value={Math.min(used, limit)}
        max={Math.max(limit, 1)}
      />
      <p className="mt-2 text-xs text-quiet">
        All buckets together
        {unfinished > 0 && `, with ${formatBytes(unfinished)} for unfinished uploads`}. Uploads that
        would exceed the limit are refused.
      </p>
    </section>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div className="card p-4 max-sm:px-3 max-md:last:col-span-2 md:max-xl:nth-4:col-span-2">
      <dt className="text-quiet">{label}</dt>
      <dd className="numbers mt-1 text-xl font-semibold">{value}</dd>
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-h-12 items-center justify-between gap-4">
      <dt className="shrink-0 text-quiet">{label}</dt>
      <dd className="flex min-w-0 items-center gap-1">{children}</dd>
    </div>
  );
}
