import { Elysia } from 'elysia';
import { MESSAGES } from '../../contract/messages.ts';
import type { BucketDetailWire } from '../../contract/wire.ts';
import { badRequest } from '../../errors.ts';
import { Island } from '../../web/islands/island.tsx';
import { BucketFrame } from '../../web/layout/bucket-frame.tsx';
import { privatePage, renderPage, type Viewers } from '../../web/render/page.tsx';

type Services = {
  accounts: Viewers;
  buckets: { getWithKey(userId: string, bucketId: string): Promise<BucketDetailWire> };
  docsUrl: string | null;
};

/** Mounts the page of a bucket's API key and access tokens, the only page that shows the key. */
export function tokenPages(services: Services) {
  const { buckets, docsUrl } = services;

  return new Elysia({ name: 'token-pages', detail: { hide: true } })
    .get('/dashboard/api-key', ({ request }) =>
      privatePage(services, request, async () => {
        throw badRequest(MESSAGES.noBucketIdProvided);
      }),
    )
    .get('/dashboard/api-key/:bucketID', ({ request, params }) =>
      privatePage(services, request, async (viewer) => {
        const bucket = await buckets.getWithKey(viewer.userId, params.bucketID);
        return renderPage({
          title: `API key of ${bucket.name}`,
          viewer,
          at: bucket,
          docsUrl,
          body: (
            <BucketFrame bucket={bucket} current="/dashboard/api-key">
              <Island name="api-key" props={{ bucketId: bucket.id, firstKey: bucket.api_key }} />
            </BucketFrame>
          ),
        });
      }),
    );
}
