import { Elysia } from 'elysia';
import { TransformsResponse } from '../../../contract/schemas/buckets.ts';
import { sessionGuard } from '../../accounts/guard.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { Buckets } from '../../buckets/service.ts';
import { respondWith } from '../respond.ts';
import type { Delivery } from '../service.ts';
import type { PreviewSize } from './previews.ts';

type Services = { accounts: Accounts; buckets: Buckets; delivery: Delivery };

/** Returns the calls about a bucket's generated images for its owner. */
export const transformRoutes = (services: Services) => [
  countRoute(services),
  previewRoutes(services),
];

/** Mounts the call that counts them. */
function countRoute({ accounts, buckets, delivery }: Services) {
  return new Elysia().use(sessionGuard(accounts)).get(
    '/buckets/transforms/:bucketID',
    async ({ session, params }) => {
      const { id, transforms } = await buckets.ownedBy(session.userId, params.bucketID);
      return { policy: transforms, ...(await delivery.transforms.count(id)) };
    },
    {
      session: true,
      response: TransformsResponse,
      detail: {
        operationId: 'getTransforms',
        summary: 'Get the transform setting, and count the transforms that turning it off deletes',
        tags: ['Buckets'],
        security: [{ session: [] }],
      },
    },
  );
}

/**
 * Mounts the previews of the dashboard. They take no API key and no token, because they are not
 * counted as bandwidth: an owner who only looks must not pay for it.
 */
function previewRoutes({ accounts, buckets, delivery }: Services) {
  const open = async (
    size: PreviewSize,
    { session, params, request, set }: SessionRequest,
  ): Promise<Response | undefined> => {
    const { id: bucketId } = await buckets.ownedBy(session.userId, params.bucketID);
    const ids = { bucketId, fileId: params.fileID };
    const preview = await delivery.openPreview(ids, size, request.signal);
    if (!preview) {
      set.status = 204;
      return;
    }
    return respondWith(request, preview, null);
  };
  const options = { session: true, detail: { hide: true } } as const;
  return new Elysia()
    .use(sessionGuard(accounts))
    .get('/files/:bucketID/:fileID/thumbnail', (context) => open('thumbnail', context), options)
    .get('/files/:bucketID/:fileID/card', (context) => open('card', context), options)
    .get('/files/:bucketID/:fileID/preview', (context) => open('preview', context), options);
}

type SessionRequest = {
  session: { userId: string };
  params: { bucketID: string; fileID: string };
  request: Request;
  set: { status?: number | string };
};
