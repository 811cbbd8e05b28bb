import { Elysia } from 'elysia';
import { MESSAGES } from '../../contract/messages.ts';
import { badRequest } from '../../errors.ts';
import { Island } from '../../web/islands/island.tsx';
import { BucketFrame } from '../../web/layout/bucket-frame.tsx';
import { type PrivateSite, privatePage } from '../../web/render/page.tsx';
import type { Buckets } from '../buckets/service.ts';

type Services = PrivateSite & {
  buckets: Pick<Buckets, 'get' | 'apiKeys' | 'accessTokens'>;
};

/** Mounts the page of a bucket's API key and access tokens. Its HTML contains no key. */
export function tokenPages(services: Services) {
  const { buckets } = services;

  return new Elysia({ name: 'token-pages', detail: { hide: true } })
    .get('/dashboard/api-key', ({ request }) =>
      privatePage(services, request, async () => {
        throw badRequest(MESSAGES.noBucketIdProvided);
      }),
    )
    .get('/dashboard/api-key/:bucketID', ({ request, params }) =>
      privatePage(services, request, async (viewer) => {
        const bucket = await buckets.get(viewer.userId, params.bucketID);
        const [{ data: keys }, { data: tokens }] = await Promise.all([
          buckets.apiKeys.list(viewer.userId, bucket.id),
          buckets.accessTokens.list(viewer.userId, bucket.id),
        ]);
        return {
          title: `API key of ${bucket.name}`,
          at: bucket,
          body: (
            <BucketFrame bucket={bucket} current="/dashboard/api-key">
              <Island name="api-key" props={{ bucketId: bucket.id, keys, tokens }} />
            </BucketFrame>
          ),
        };
      }),
    );
}
