import { Elysia } from 'elysia';
import { DAY, SECOND } from '../../../contract/limits.ts';
import { GeneratedImagesResponse } from '../../../contract/schemas/buckets.ts';
import { sessionGuard } from '../../accounts/guard.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { Buckets } from '../../buckets/service.ts';
import { respondWith } from '../respond.ts';
import type { Delivery } from '../service.ts';

type Services = { accounts: Accounts; buckets: Buckets; delivery: Delivery };

/** Mounts the call that counts a bucket's generated images for its owner. */
export function transformRoutes({ accounts, buckets, delivery }: Services) {
  return new Elysia().use(sessionGuard(accounts)).get(
    '/buckets/transforms/:bucketID',
    async ({ session, params }) => {
      const { id, transforms } = await buckets.ownedBy(session.userId, params.bucketID);
      return { policy: transforms, ...(await delivery.generatedImagesIn(id)) };
    },
    {
      session: true,
      response: GeneratedImagesResponse,
      detail: {
        operationId: 'getGeneratedImages',
        summary: 'Count the generated images that turning transforms off removes',
        tags: ['Buckets'],
        security: [{ session: [] }],
      },
    },
  );
}

/** A file's thumbnail never changes. A private one leaves no copy that the next user could read. */
const CACHE_CONTROL = {
  public: `private, max-age=${(365 * DAY) / SECOND}, immutable`,
  private: 'private, no-store',
};

/**
 * Mounts the thumbnails of the dashboard. They take no API key and no token, because they are not
 * counted as bandwidth: an owner who looks at a list must not pay for it.
 */
export function thumbnailRoutes({ accounts, buckets, delivery }: Services) {
  return new Elysia().use(sessionGuard(accounts)).get(
    '/files/:bucketID/:fileID/thumbnail',
    async ({ session, params, request, set }) => {
      const { id: bucketId } = await buckets.ownedBy(session.userId, params.bucketID);
      const ids = { bucketId, fileId: params.fileID };
      const thumbnail = await delivery.openThumbnail(ids, request.signal);
      if (!thumbnail) {
        set.status = 204;
        return;
      }
      const cacheControl = CACHE_CONTROL[thumbnail.file.access];
      return respondWith(request, thumbnail.deliverable, { cacheControl }, () => {});
    },
    { session: true, detail: { hide: true } },
  );
}
