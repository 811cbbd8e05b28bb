import { Elysia } from 'elysia';
import { GeneratedImagesResponse } from '../../../contract/schemas/buckets.ts';
import { sessionGuard } from '../../accounts/guard.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { Buckets } from '../../buckets/service.ts';
import type { Delivery } from '../service.ts';

/** Mounts the call that counts a bucket's generated images for its owner. */
export function transformRoutes(services: {
  accounts: Accounts;
  buckets: Buckets;
  delivery: Delivery;
}) {
  const { accounts, buckets, delivery } = services;
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
