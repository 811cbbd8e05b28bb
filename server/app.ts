import { type AnyElysia, Elysia } from 'elysia';
import { MIB } from './contract/limits.ts';
import { AppError, badRequest, noSuchCall, notFound, renderError, tooLarge } from './errors.ts';
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
import { answerLost, deliveryRoutes } from './features/delivery/routes.ts';
import { derivativeRoutes } from './features/delivery/transforms/routes.ts';
import { apiDocument } from './features/docs/api-document.ts';
import { docsPages } from './features/docs/page.tsx';
import { embedPages } from './features/embed/page.tsx';
import { samplePages } from './features/embed/sample.tsx';
import { filePages } from './features/files/page.tsx';
import { fileRoutes } from './features/files/routes.ts';
import { landingPages } from './features/landing/page.tsx';
import { realtimeRoutes } from './features/realtime/routes.ts';
import { tokenPages } from './features/tokens/page.tsx';
import { tokenRoutes } from './features/tokens/routes.ts';
import { uploadRoutes } from './features/uploads/routes.ts';
import { tusRoutes } from './features/uploads/tus/routes.ts';
import { usagePages } from './features/usage/page.tsx';
import { usageRoutes } from './features/usage/routes.ts';
import { countAnswer } from './platform/metrics/counts.ts';
import { healthRoutes } from './runtime/health.ts';
import { metricsRoutes } from './runtime/metrics.ts';
import type { Services } from './services.ts';
import { assetRoutes } from './web/assets/asset-routes.ts';
import { rejectCrossSiteRequests } from './web/http/cross-site-guard.ts';
import { transportHeaders } from './web/http/csp.ts';
import { errorPage, notFoundPage } from './web/render/error-pages.tsx';
import { toAppError } from './web/render/page-errors.ts';

export type App = ReturnType<typeof createApp>;

/** Everything but an upload is small; uploads watch their own size. */
const SMALL_BODY = MIB;
const UPLOADS = '/files/';
const ACCOUNTS = '/users/';
/** The address of a code mail stands in this path, and stays out of the log. */
const HIDDEN_PATH = '/users/send/email/';

/** Mounts the features on one server, and says what happens to every request. */
export function createApp(services: Services) {
  const { config, log, accounts } = services;
  const { docsUrl } = config;
  const cdnHosts = ownHosts(services.places.cdnUrls, config.appUrl);
  const transport = transportHeaders(config.appUrl);
  /** `failed` is the status of an error's answer, which is not handed on to who logs it. */
  const started = new WeakMap<Request, { id: string; at: number; failed?: number }>();

  // Of the finished app, so it is made when it is first asked for.
  const whole: { app?: AnyElysia } = {};
  const document = async (): Promise<unknown> => whole.app && apiDocument(whole.app, services);

  const app = new Elysia({
    serve: {
      // A tus client may send all of a video in one request; others watch their own size.
      maxRequestBodySize: config.maxVideoBytes + 128 * MIB,
      idleTimeout: 120,
      error: answerLost(log),
      routes: deliveryRoutes(services),
    },
  })
    .onRequest(({ request, set }) => {
      const id = Bun.randomUUIDv7();
      started.set(request, { id, at: performance.now() });
      set.headers['x-request-id'] = id;
      Object.assign(set.headers, transport);
      // Made of the Host header, which a client may write as it likes.
      if (!URL.canParse(request.url)) throw badRequest('The Host header names no host.');
      const pathname = pathOf(request);
      if (cdnHosts.has(new URL(request.url).host) && !pathname.startsWith('/cdn/')) {
        throw notFound('File');
      }
      if (!pathname.startsWith(UPLOADS)) checkSmall(request);
      if (pathname.startsWith(ACCOUNTS)) rejectCrossSiteRequests(request, config.appUrl);
    })
    .onError(async ({ request, code, error }) => {
      const known = code === 'NOT_FOUND' ? noSuchCall(config.appUrl) : toAppError(code, error);
      const begun = started.get(request);
      if (begun) begun.failed = known?.status ?? 500;
      if (!known)
        log.error(
          { id: begun?.id, error: String(error), stack: (error as Error)?.stack },
          'failed',
        );
      if (wantsPage(request)) {
        const viewer = await accounts.viewerOf(request).catch(() => null);
        return known?.status === 404
          ? notFoundPage({ viewer, docsUrl })
          : errorPage({ viewer, docsUrl, status: known?.status ?? 500, text: known?.text });
      }
      const answer = renderError(
        known ?? new AppError(500, 'unexpected', 'An unexpected error occurred.'),
      );
      // Pages of other sites may upload, so they may read why they may not.
      if (pathOf(request).startsWith(UPLOADS)) {
        answer.headers.set('access-control-allow-origin', '*');
      }
      return answer;
    })
    .onAfterResponse(({ request, route, set, response }) => {
      const begun = started.get(request);
      const pathname = pathOf(request);
      const answered = response instanceof Response ? response.status : Number(set.status ?? 200);
      const status = begun?.failed ?? answered;
      const ms = begun && Math.round((performance.now() - begun.at) * 10) / 10;
      countAnswer(services.counts.routeOf(request.method, route), status, ms ?? 0);
      log.info(
        {
          id: begun?.id,
          method: request.method,
          path: pathname.startsWith(HIDDEN_PATH) ? HIDDEN_PATH : pathname,
          status,
          ms,
        },
        'request',
      );
    })
    .use(assetRoutes())
    .use(healthRoutes(services))
    .use(metricsRoutes(services))
    .use(accountRoutes(services))
    .use(profileRoutes(services))
    .use(bucketRoutes(services))
    .use(derivativeRoutes(services))
    .use(webhookRoutes(services))
    .use(tokenRoutes(services))
    .use(uploadRoutes(services))
    .use(tusRoutes(services))
    .use(fileRoutes(services))
    .use(usageRoutes(services))
    .use(missingBucketIdRoutes())
    .use(paymentRoutes(services))
    .use(billingRoutes(services))
    .use(realtimeRoutes(services))
    .use(landingPages({ ...services, ...config }))
    .use(accountPages({ accounts, docsUrl, appUrl: config.appUrl }))
    .use(bucketPages({ ...services, docsUrl }))
    .use(usagePages({ ...services, docsUrl }))
    .use(
      filePages({
        ...services,
        appUrl: config.appUrl,
        docsUrl,
        filesFrom: [...services.places.cdnUrls, ...services.redirectsTo],
      }),
    )
    .use(tokenPages({ ...services, docsUrl }))
    .use(samplePages())
    .use(embedPages({ ...services, cdnUrls: services.places.cdnUrls }))
    .use(billingPages({ ...services, docsUrl }))
    .use(adminRoutes({ ...services, pages: createAdminPages({ ...services, docsUrl }) }))
    .use(adminActionRoutes(services))
    .use(adminPages({ accounts, docsUrl }))
    .use(docsPages({ ...config, accounts, document }))
    .get('/docs/openapi.json', () => document(), { detail: { hide: true } });
  whole.app = app;
  return app;
}

/** As routes see it, to which '//users/login' is '/users/login'. */
const pathOf = ({ url }: Request) =>
  URL.canParse(url) ? new URL(url).pathname.replace(/^\/+/, '/') : '';

/** A body that may be of any length could fill the memory before a route sees it. */
function checkSmall(request: Request) {
  const length = request.headers.get('content-length');
  if (length !== null && Number(length) > SMALL_BODY) throw tooLarge('The body is too large.');
  if (length === null && request.headers.has('transfer-encoding')) {
    throw new AppError(411, 'length-required', 'Send the length of the body.');
  }
}

/** A browser's own navigation, which is owed a page; a program gets text. */
const wantsPage = (request: Request) =>
  request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html');

/** The hosts that deliver, and do nothing else. */
function ownHosts(cdnUrls: string[], appUrl: string): Set<string> {
  const hosts = new Set(cdnUrls.map((url) => new URL(url).host));
  hosts.delete(new URL(appUrl).host);
  return hosts;
}
