import { Elysia } from 'elysia';
import { memoizeAsync } from '../contract/memoize.ts';
import { notFound, unauthorized } from '../errors.ts';
import { bearerToken } from '../features/accounts/guard.ts';
import type { Usage } from '../features/usage/service.ts';
import type { Counts } from '../platform/metrics/counts.ts';
import type { Queue } from '../platform/queue/queue.ts';
import { sameMac } from '../platform/secrets/secrets.ts';
import { textResponse } from '../web/http/openapi-responses.ts';

/**
 * `GET /metrics` returns what the server counts about itself, for clients with METRICS_TOKEN. Where that is
 * unset, the route answers 404. The metrics library is loaded with the first request.
 */
export function metricsRoutes(services: {
  config: { metricsToken: string | null };
  counts: Counts;
  queue: Pick<Queue, 'openCounts'>;
  usage: Pick<Usage, 'unfoldedMs'>;
}) {
  const { counts, queue, usage } = services;
  const { metricsToken } = services.config;
  let opened: { stop(): void } | null = null;
  const open = memoizeAsync(async () => {
    const { MetricsExposition } = await import('../platform/metrics/exposition.ts');
    const exposition = new MetricsExposition(counts, {
      jobs: () => queue.openCounts(),
      unfoldedMs: () => usage.unfoldedMs(),
    });
    opened = exposition;
    return exposition;
  });

  return new Elysia()
    .get(
      '/metrics',
      async ({ request }) => {
        if (metricsToken === null) throw notFound('Page');
        const token = bearerToken(request);
        if (!token || !sameMac(token, metricsToken)) {
          throw unauthorized('Send METRICS_TOKEN as a bearer token.');
        }
        const exposition = await open();
        return new Response(await exposition.text(), {
          headers: { 'content-type': exposition.contentType, 'cache-control': 'no-store' },
        });
      },
      {
        detail: {
          operationId: 'getMetrics',
          summary: 'Get metrics in the Prometheus format',
          tags: ['Server'],
          security: [{ metrics: [] }],
          ...textResponse('Metrics.', 'text/plain; version=0.0.4; charset=utf-8'),
        },
      },
    )
    .onStop(() => opened?.stop());
}
