import { Elysia } from 'elysia';
import { ChartQuery, ChartResponse } from '../../contract/schemas/buckets.ts';
import { bucketDetail } from '../../web/http/openapi-responses.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Buckets } from '../buckets/service.ts';
import { bucketGuard } from '../tokens/guard.ts';
import type { Tokens } from '../tokens/service.ts';
import type { Usage } from './service.ts';

/** Mounts the call for the chart of a bucket. */
export function usageRoutes(services: {
  accounts: Accounts;
  buckets: Buckets;
  tokens: Tokens;
  usage: Usage;
}) {
  return new Elysia()
    .use(bucketGuard(services))
    .get(
      '/buckets/chart/:bucketID',
      ({ caller, query }) => services.usage.chart(caller.bucket.id, query),
      {
        caller: 'read',
        query: ChartQuery,
        response: ChartResponse,
        ...bucketDetail('Buckets')(
          'getBucketChart',
          "Get a bucket's daily storage or bandwidth; this month by default",
        ),
      },
    );
}
