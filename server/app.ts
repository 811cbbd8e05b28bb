import { type AnyElysia, Elysia } from 'elysia';
import packageJson from '../package.json' with { type: 'json' };
import { MIB } from './contract/limits.ts';
import { memoizeAsync } from './contract/memoize.ts';
import { REGIONS } from './contract/regions.ts';
import { accountPages } from './features/accounts/page.tsx';
import { profileRoutes } from './features/accounts/profile/profile-routes.ts';
import { accountRoutes } from './features/accounts/routes.ts';
import { adminActionRoutes } from './features/admin/action-routes.ts';
import { adminPages, createAdminPages } from './features/admin/page.tsx';
import { adminRoutes } from './features/admin/routes.ts';
import { billingPages } from './features/billing/page.tsx';
import { paymentRoutes } from './features/billing/payments/routes.ts';
import { billingRoutes } from './features/billing/routes.ts';
import { missingBucketIdRoutes } from './features/buckets/missing-bucket-id.ts';
import { bucketPages } from './features/buckets/page.tsx';
import { bucketRoutes } from './features/buckets/routes.ts';
import { webhookRoutes } from './features/buckets/webhooks/webhook-routes.ts';
import { deliveryRoutes, respondUnavailable } from './features/delivery/routes.ts';
import { transformRoutes } from './features/delivery/transforms/routes.ts';
import { zipDownloadRoutes } from './features/delivery/zips/routes.ts';
import { apiDocument } from './features/docs/api-document.ts';
import { listOperatorPages, operatorPages } from './features/docs/operator-pages.tsx';
import { docsPages } from './features/docs/page.tsx';
import { embedPages, samplePages } from './features/embed/page.tsx';
import { pdfFramePages } from './features/embed/pdf-frame.tsx';
import { filePages } from './features/files/page.tsx';
import { fileRoutes } from './features/files/routes.ts';
import { homePages } from './features/home/page.tsx';
import { homeRoutes } from './features/home/routes.ts';
import { s3ImportRoutes } from './features/imports/routes.ts';
import { landingPages } from './features/landing/page.tsx';
import { processingRoutes } from './features/processing/routes.ts';
import { realtimeRoutes, WEBSOCKET_OPTIONS } from './features/realtime/routes.ts';
import { s3DiagnosisRoutes } from './features/s3/diagnosis/routes.ts';
import { s3KeyPages } from './features/s3/keys/page.tsx';
import { s3KeyRoutes } from './features/s3/keys/routes.ts';
import { s3Routes } from './features/s3/listener/routes.ts';
import { tokenPages } from './features/tokens/page.tsx';
import { tokenRoutes } from './features/tokens/routes.ts';
import { uploadRoutes } from './features/uploads/routes.ts';
import { tusRoutes } from './features/uploads/tus/routes.ts';
import { usagePages } from './features/usage/page.tsx';
import { usageRoutes } from './features/usage/routes.ts';
import { RequestLifecycle } from './request-lifecycle.ts';
import { healthRoutes } from './runtime/health.ts';
import { metricsRoutes } from './runtime/metrics.ts';
import type { Services } from './services.ts';
import { assetRoutes } from './web/assets/asset-routes.ts';
import { compressed } from './web/http/compression.ts';
import { preflightRoutes } from './web/http/cross-origin.ts';
import { fixedJson } from './web/http/fixed-response.ts';
import { IDLE_TIMEOUT_SECONDS } from './web/http/idle-timeout.ts';

/** Mounts all features on one server, with the hooks that handle every request. */
export function createApp(services: Services) {
  const { config, log } = services;
  const lifecycle = new RequestLifecycle(services);
  // The document describes the finished app, so it is generated when it is first requested.
  const holder: { app?: AnyElysia } = {};
  const document = memoizeAsync(
    async (): Promise<unknown> => holder.app && apiDocument(holder.app, services),
  );

  const app = new Elysia({
    serve: {
      // A whole file or video may come in one request. Other routes limit their bodies themselves.
      maxRequestBodySize: Math.max(config.maxVideoBytes, config.maxFileBytes) + 128 * MIB,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      error: respondUnavailable(log),
      routes: { ...deliveryRoutes(services), ...s3Routes(services) },
    },
    websocket: WEBSOCKET_OPTIONS,
  })
    .onRequest(({ request, set }) => lifecycle.begin(request, set.headers))
    .onError(({ request, code, error }) => lifecycle.fail(request, code, error))
    .mapResponse(
      // Elysia takes the promise of a function that is not declared async for the response.
      async ({ request, responseValue, set }) =>
        compressed({ request, value: responseValue, status: Number(set.status ?? 200) }),
    )
    .onAfterResponse(({ request, route, set, response }) => {
      const status = response instanceof Response ? response.status : Number(set.status ?? 200);
      lifecycle.end(request, route, status);
    })
    .use(assetRoutes())
    .use(healthRoutes(services))
    .use(metricsRoutes(services))
    .use(accountRoutes(services))
    .use(profileRoutes(services))
    .use(bucketRoutes(services))
    .use(transformRoutes(services))
    .use(webhookRoutes(services))
    .use(tokenRoutes(services))
    .use(s3KeyRoutes(services))
    .use(s3DiagnosisRoutes(services))
    .use(preflightRoutes())
    .use(uploadRoutes(services))
    .use(s3ImportRoutes(services))
    .use(tusRoutes(services))
    .use(fileRoutes(services))
    .use(zipDownloadRoutes(services))
    .use(processingRoutes(services))
    .use(usageRoutes(services))
    .use(homeRoutes(services))
    .use(missingBucketIdRoutes())
    .use(paymentRoutes(services))
    .use(billingRoutes(services))
    .use(realtimeRoutes(services))
    .use(adminRoutes({ ...services, pages: createAdminPages(pageServices(services)) }))
    .use(adminActionRoutes(services))
    .use(pageRoutes(services, document));
  holder.app = app;
  return app;
}

const REGION_COUNT = Object.keys(REGIONS).length;

/** Returns all pages. */
function pageRoutes(services: Services, document: () => Promise<unknown>) {
  const { config, accounts, regionRouter } = services;
  const page = pageServices(services);
  const documentJson = fixedJson(document);
  const site = {
    ...config,
    license: packageJson.license,
    operatorPages: () => listOperatorPages(config.dataDir),
  };
  const regionCount = Math.min(regionRouter.regionsWithStorage.length + 1, REGION_COUNT);
  return [
    landingPages({ ...page, ...site, regionCount }),
    operatorPages({ ...config, accounts }),
    accountPages(page),
    homePages(page),
    bucketPages(page),
    usagePages(page),
    filePages(page),
    tokenPages(page),
    s3KeyPages({ ...page, s3Endpoint: config.s3?.url ?? null }),
    samplePages(),
    pdfFramePages(),
    embedPages({ ...page, cdnUrls: regionRouter.cdnUrls }),
    billingPages(page),
    adminPages(page),
    docsPages({ ...site, accounts, document }),
    new Elysia().get('/docs/openapi.json', ({ request }) => documentJson(request), {
      detail: { hide: true },
    }),
  ];
}

const pageServices = (services: Services) => ({
  ...services,
  docsUrl: services.config.docsUrl,
  filesFrom: [...services.regionRouter.cdnUrls, ...services.redirectsTo],
});
