import { Elysia } from 'elysia';
import {
  ChartQuery,
  ChartResponse,
  TopFilesQuery,
  TopFilesResponse,
} from '../../contract/schemas/buckets.ts';
import { bucketDetail } from '../../web/http/openapi-responses.ts';
import { bucketGuard, type GuardServices } from '../tokens/guard.ts';
import type { Usage } from './service.ts';

/** Mounts the calls for the chart and the top files of a bucket. */
export function usageRoutes(services: GuardServices & { usage: Usage }) {
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
    )
    .get(
      '/buckets/top-files/:bucketID',
      ({ caller, query }) => services.usage.topFiles.of(caller.bucket.id, query),
      {
        caller: 'read',
        query: TopFilesQuery,
        response: TopFilesResponse,
        ...bucketDetail('Buckets')(
          'listTopFiles',
          "List a bucket's files with the most requests; this month by default",
        ),
      },
    );
}
