import { AppError, notFound } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { type Counts, countResponse } from '../../platform/metrics/counts.ts';
import { isSystemError } from '../../platform/system-error.ts';
import type { ConnectionServer } from '../../platform/tcp/connection.ts';
import { transportHeaders } from '../../web/http/csp.ts';
import { hasValidHost, invalidHost } from '../../web/http/host-header.ts';
import type { CountSentBytes } from './byte-counter.ts';
import { AuthorizedUrlCache } from './caches/authorized-url-cache.ts';
import { pathStart } from './delivery-url.ts';
import { preflightResponse } from './headers.ts';
import { errorResponse, methodNotAllowed, respondWith } from './respond.ts';
import { type RuleCheck, restrictOrigins } from './rule-check.ts';
import type { Delivery, Opened, Redirect } from './service.ts';
import { isByUrl } from './variants.ts';
import { whenReady } from './when-ready.ts';

/** Everything that a response depends on, except the headers of the request. */
type Ready = Opened & {
  path: string;
  countSent: CountSentBytes;
  countRequest: (isCached: boolean) => void;
};

type Options = {
  delivery: Delivery;
  log: Log;
  /** Returns the callback that counts the bytes of a file. */
  counterOf: (bucketId: string, fileId: string) => CountSentBytes;
  /** Returns the callback that counts requests for a file of a bucket, and whether a cache answers them. */
  requestCounterOf: (bucketId: string, fileId: string) => (isCached: boolean) => void;
  counts: Counts;
  appUrl: string;
  regionRouter: { cdnUrls: string[] };
  clock: Clock;
  ruleCheck: RuleCheck;
};

/**
 * Returns the routes of `/cdn/{bucketID}/{fileID}/{name}`. They are routes of Bun, because the
 * context that Elysia creates for each request costs more than delivering a small file. So they
 * write their own log line. Their responses have no request id, which a shared cache would send to
 * everybody.
 */
export function deliveryRoutes(options: Options) {
  const handlers = new DeliveryHandlers(options);
  type Handler = (request: Request, server?: ConnectionServer) => Response | Promise<Response>;
  const withHost = (handle: Handler) => (request: Request, server?: ConnectionServer) =>
    hasValidHost(request) ? handle(request, server) : handlers.refuse(request, invalidHost());
  const deliver = withHost((request, server) => handlers.deliver(request, server));
  const refuseMethod = withHost((request) => handlers.refuse(request, methodNotAllowed()));
  return {
    '/cdn/*': {
      GET: deliver,
      HEAD: deliver,
      OPTIONS: withHost(preflightResponse),
      POST: refuseMethod,
      PUT: refuseMethod,
      PATCH: refuseMethod,
      DELETE: refuseMethod,
    },
  };
}

/** Responds to requests below `/cdn/`, and counts and logs each. */
class DeliveryHandlers {
  private readonly transport: [name: string, value: string][];
  private readonly gets: ReturnType<Counts['routeOf']>;
  private readonly heads: ReturnType<Counts['routeOf']>;
  private readonly urls: AuthorizedUrlCache<Ready>;

  constructor(private readonly options: Options) {
    const { appUrl, regionRouter, clock } = options;
    this.transport = Object.entries(transportHeaders([appUrl, ...regionRouter.cdnUrls]));
    this.gets = this.countsOf('GET');
    this.heads = this.countsOf('HEAD');
    this.urls = new AuthorizedUrlCache(clock);
  }

  deliver(request: Request, server?: ConnectionServer): Response | Promise<Response> {
    const started = performance.now();
    const { ruleCheck, counts } = this.options;
    const cached = this.urls.get(request.url);
    let responding: Response | Promise<Response>;
    try {
      if (cached?.rules) ruleCheck.require(request, server, cached.rules);
      const ready = cached ?? this.open(request, server);
      const isCached = !(ready instanceof Promise);
      if (isCached) counts.cacheHits += 1;
      else counts.cacheMisses += 1;
      responding = whenReady(ready, (opened) => {
        if (opened instanceof Response) return opened;
        opened.countRequest(isCached);
        return this.respond(request, opened, server);
      });
    } catch (error) {
      responding = this.toErrorResponse(error, request);
    }
    if (responding instanceof Response) {
      return this.logged(request, started, responding, cached?.path);
    }
    return responding
      .catch((error) => this.toErrorResponse(error, request))
      .then((response) => this.logged(request, started, response));
  }

  refuse(request: Request, error: AppError): Response {
    return this.logged(request, performance.now(), errorResponse(error));
  }

  private open(
    request: Request,
    server?: ConnectionServer,
  ): Ready | Response | Promise<Ready | Response> {
    const { url } = request;
    const { delivery, ruleCheck, counterOf, requestCounterOf } = this.options;
    const opening = delivery.open(url, request, {
      check: (rules) => ruleCheck.require(request, server, rules),
      address: () => ruleCheck.addressOf(request, server),
    });
    return whenReady(opening, (opened) => {
      if ('location' in opened) {
        return withOrigins(redirectTo(url, opened), request, opened.rules);
      }
      const { bucketId, fileId } = opened;
      const ready = {
        ...opened,
        path: JSON.stringify(pathOf(url)),
        countSent: counterOf(bucketId, fileId),
        countRequest: requestCounterOf(bucketId, fileId),
      };
      if (opened.isCurrent() && isByUrl(opened.deliverable)) this.urls.set(url, ready);
      return ready;
    });
  }

  private respond(
    request: Request,
    { deliverable, countSent, rules, isNotFound }: Ready,
    server: ConnectionServer | undefined,
  ): Response | Promise<Response> {
    const status = isNotFound ? 404 : 200;
    const responding = respondWith(request, deliverable, countSent, server, status);
    return whenReady(responding, (response) => withOrigins(response, request, rules));
  }

  private toErrorResponse(error: unknown, request: Request): Response {
    if (error instanceof AppError) return errorResponse(error, request);
    this.options.log.error(
      { error: String(error), stack: (error as Error)?.stack },
      'delivery failed',
    );
    return errorResponse(new AppError(500, 'unexpected', 'An unexpected error occurred.'));
  }

  /**
   * Counts and logs a response, and returns it.
   * @param jsonPath the path of the request as JSON, where it is cached
   */
  private logged(request: Request, started: number, response: Response, jsonPath?: string) {
    const ms = Math.round((performance.now() - started) * 10) / 10;
    for (const [name, value] of this.transport) response.headers.set(name, value);
    const { method } = request;
    const { status } = response;
    const counts =
      method === 'GET' ? this.gets : method === 'HEAD' ? this.heads : this.countsOf(method);
    countResponse(counts, status, ms);
    const path = jsonPath ?? JSON.stringify(pathOf(request.url));
    const { log } = this.options;
    log.info(`"method":"${method}","path":${path},"status":${status},"ms":${ms}`, 'request');
    return response;
  }

  private countsOf(method: string) {
    return this.options.counts.routeOf(method, '/cdn/*');
  }
}

/**
 * Handles errors while Bun sends a body, mostly because the object was deleted after it was opened.
 * Without this, Bun would respond with 500 and a page that contains the path on our disk.
 */
export const respondUnavailable =
  (log: Log) =>
  (error: unknown): Response => {
    if (isSystemError(error, 'ENOENT')) return errorResponse(notFound('File'));
    log.error({ error: String(error) }, 'sending failed');
    return errorResponse(new AppError(500, 'unexpected', 'An unexpected error occurred.'));
  };

const withOrigins = (response: Response, request: Request, rules: Opened['rules']): Response =>
  rules ? restrictOrigins(response, request, rules.rules) : response;

/**
 * Redirects a client from the path of a video to its playlist, or to a folder with a slash at its end, with the query of
 * the request.
 */
function redirectTo(url: string, { location, headers }: Redirect): Response {
  const question = url.indexOf('?', pathStart(url));
  const query = question < 0 ? '' : url.slice(question);
  return new Response(null, { status: 302, headers: { ...headers, location: location + query } });
}

/** Returns the path of a URL for the log, without the query, which may contain a token. */
function pathOf(url: string): string {
  const start = pathStart(url);
  const end = url.indexOf('?', start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}
