import { Elysia } from 'elysia';
import type { BucketWire, Page } from '../../contract/wire.ts';
import { BucketFrame } from '../../web/bucket-frame.tsx';
import { Island } from '../../web/island.tsx';
import { renderPage } from '../../web/page.tsx';
import { privatePage, type Viewers } from '../../web/private-page.ts';
import { BucketSummary } from './summary.tsx';

type Services = {
  accounts: Viewers;
  buckets: {
    list(userId: string, filters: { limit?: number }): Promise<Page<BucketWire>>;
    get(userId: string, bucketId: string): Promise<BucketWire>;
  };
  docsUrl: string | null;
};

/** `/dashboard` and a bucket's overview. */
export function bucketPages(services: Services) {
  const { buckets, docsUrl } = services;

  return new Elysia({ name: 'bucket-pages', detail: { hide: true } })
    .get('/dashboard', ({ request }) =>
      privatePage(services, request, async (viewer) =>
        renderPage({
          title: 'Your Buckets',
          viewer,
          docsUrl,
          body: (
            <main id="main" className="mx-auto max-w-[1248px] px-4 pt-6 pb-16 text-sm sm:px-6">
              <Island name="bucket-list" props={{ first: await buckets.list(viewer.userId, {}) }} />
            </main>
          ),
        }),
      ),
    )
    .get('/dashboard/bucket/:bucketID', ({ request, params }) =>
      privatePage(services, request, async (viewer) => {
        const bucket = await buckets.get(viewer.userId, params.bucketID);
        return renderPage({
          title: `Overview of ${bucket.name}`,
          viewer,
          docsUrl,
          body: (
            <BucketFrame bucket={bucket} current="/dashboard/bucket">
              <BucketSummary bucket={bucket} />
            </BucketFrame>
          ),
        });
      }),
    );
}
