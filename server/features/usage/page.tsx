import { Elysia } from 'elysia';
import { paramsOf, readView } from '../../../islands/usage/view.ts';
import { MESSAGES } from '../../contract/messages.ts';
import type { BucketWire, ChartQuery, ChartWire } from '../../contract/wire.ts';
import { AppError, badRequest } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { Island } from '../../web/islands/island.tsx';
import { BucketFrame } from '../../web/layout/bucket-frame.tsx';
import { renderPage } from '../../web/render/page.tsx';
import { privatePage, type Viewers } from '../../web/render/private-page.ts';
import { dayOf, dayText } from './periods.ts';
import { BucketSummary } from './summary.tsx';

type Services = {
  accounts: Viewers;
  buckets: { get(userId: string, bucketId: string): Promise<BucketWire> };
  usage: { chart(bucketId: string, query: ChartQuery): Promise<ChartWire> };
  clock: Clock;
  docsUrl: string | null;
};

/** A bucket's overview. */
export function usagePages(services: Services) {
  const { buckets, usage, clock, docsUrl } = services;

  /** Null where the URL asks for what can't be charted: the page then says so. */
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
        const chart = await chartOf(bucket.id, search);
        const today = dayText(dayOf(clock()));
        return renderPage({
          title: `Overview of ${bucket.name}`,
          viewer,
          at: bucket,
          docsUrl,
          body: (
            <BucketFrame bucket={bucket} current="/dashboard/bucket">
              <Island name="overview" props={{ bucketId: bucket.id, path, search, today, chart }} />
              <BucketSummary bucket={bucket} />
            </BucketFrame>
          ),
        });
      }),
    );
}
