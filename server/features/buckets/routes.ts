import { Elysia } from 'elysia';
import { sessionGuard } from '../accounts/guard.ts';
import type { Accounts } from '../accounts/service.ts';
import {
  BucketAnswer,
  BucketDetailAnswer,
  BucketListQuery,
  BucketPageAnswer,
  CreateBucketBody,
} from './schema.ts';
import type { Buckets } from './service.ts';

const detail = (summary: string) => ({
  detail: { summary, tags: ['Buckets'], security: [{ session: [] }] },
});

export function bucketRoutes({ accounts, buckets }: { accounts: Accounts; buckets: Buckets }) {
  return new Elysia({ prefix: '/buckets' })
    .use(sessionGuard(accounts))
    .get('/', ({ session, query }) => buckets.list(session.userId, query), {
      session: true,
      query: BucketListQuery,
      response: BucketPageAnswer,
      ...detail('List buckets, newest first'),
    })
    .post(
      '/',
      async ({ session, body, status }) => status(201, await buckets.create(session.userId, body)),
      {
        session: true,
        body: CreateBucketBody,
        response: { 201: BucketAnswer },
        ...detail('Make a bucket'),
      },
    )
    .get(
      '/:bucketID',
      ({ session, params }) => buckets.getWithKey(session.userId, params.bucketID),
      {
        session: true,
        response: BucketDetailAnswer,
        ...detail('One bucket, with its API key'),
      },
    );
}
