import { Elysia } from 'elysia';
import {
  BucketSourceBody,
  BucketSourceResponse,
  FoundBucketSourceResponse,
} from '../../../contract/schemas/imports.ts';
import { sessionDetail } from '../../../web/http/openapi-responses.ts';
import { sessionGuard } from '../../accounts/guard.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { Sources } from './sources.ts';

const detail = sessionDetail('Buckets');

/** Mounts the calls for the sources of buckets, which need a session of their owner. */
export function sourceRoutes({ accounts, sources }: { accounts: Accounts; sources: Sources }) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .get(
      '/buckets/source/:bucketID',
      async ({ session, params }) => ({
        source: await sources.get(session.userId, params.bucketID),
      }),
      {
        session: true,
        response: FoundBucketSourceResponse,
        ...detail(
          'getBucketSource',
          'Get the bucket of another S3 server from which missing files are fetched; null for none',
        ),
      },
    )
    .put(
      '/buckets/source/:bucketID',
      ({ session, params, body }) => sources.set(session.userId, params.bucketID, body),
      {
        session: true,
        body: BucketSourceBody,
        response: BucketSourceResponse,
        ...detail(
          'setBucketSource',
          'Fetch files that the bucket does not have from another S3 server when they are read',
        ),
      },
    )
    .delete(
      '/buckets/source/:bucketID',
      async ({ session, params, set }) => {
        await sources.remove(session.userId, params.bucketID);
        set.status = 204;
      },
      {
        session: true,
        ...detail('removeBucketSource', 'Fetch no more files, and delete the access key', {
          204: 'Nothing is fetched any more. What was fetched stays.',
        }),
      },
    )
    .delete(
      '/buckets/source/:bucketID/exclusions',
      async ({ session, params, set }) => {
        await sources.clearExclusions(session.userId, params.bucketID);
        set.status = 204;
      },
      {
        session: true,
        ...detail(
          'clearBucketSourceExclusions',
          'Fetch files again that were deleted from the bucket or moved',
          { 204: 'They are fetched with their next read. What is in the trash stays there.' },
        ),
      },
    );
}
