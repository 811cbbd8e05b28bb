import { AppError, notFound } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { type Counts, countResponse } from '../../platform/metrics/counts.ts';
import { isSystemError } from '../../platform/system-error.ts';
import type { ConnectionServer } from '../../platform/tcp/connection.ts';
import { transportHeaders } from '../../web/http/csp.ts';
import { hasValidHost, invalidHost } from '../../web/http/host-header.ts';
import type { CountSentBytes } from './byte-counter.ts';
import type { createUrlCache } from './caches/url-cache.ts';
import { type DeliveryTarget, parseDeliveryUrl, parsePathUrl, pathStart } from './delivery-url.ts';
import { preflightResponse, SECURITY_HEADERS } from './headers.ts';
import { errorResponse, methodNotAllowed, respondWith } from './respond.ts';
import { type FileRules, hostsOf, RuleCheck, restrictOrigins } from './rule-check.ts';
import type { Delivered, Delivery } from './service.ts';
import { type Deliverable, isByUrl } from './variants.ts';

/** Everything that a response depends on, except the headers of the request. */
type Ready = {
  path: string;
  target: DeliveryTarget & Pick<Delivered, 'cacheControl'>;
  deliverable: Deliverable;
  isCurrent: () => boolean;
  rules: FileRules | null;
  countSent: CountSentBytes;
};

type Options = {
  delivery: Delivery;
  log: Log;
  /** Returns the callback that counts the bytes of a file. */
  counterOf: (bucketId: string, fileId: string) => CountSentBytes;
  counts: Counts;
  appUrl: string;
  regionRouter: { cdnUrls: string[] };
  clock: Clock;
  trustedHops: number;
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
  private readonly delivery: Delivery;
  private readonly log: Log;
  private readonly counterOf: Options['counterOf'];
  private readonly counts: Counts;
  private readonly transport: [name: string, value: string][];
  private readonly gets: ReturnType<Counts['routeOf']>;
  private readonly heads: ReturnType<Counts['routeOf']>;
  private readonly ruleCheck: RuleCheck;
  private readonly urlCache: ReturnType<typeof createUrlCache<Ready>>;

  constructor(options: Options) {
    const { delivery, log, counterOf, counts, appUrl, regionRouter } = options;
    const ownHosts = hostsOf([appUrl, ...regionRouter.cdnUrls]);
    this.ruleCheck = new RuleCheck({ ...options, ownHosts });
    this.delivery = delivery;
    this.log = log;
    this.counterOf = counterOf;
    this.counts = counts;
    this.transport = Object.entries(transportHeaders([appUrl, ...regionRouter.cdnUrls]));
    this.gets = this.countsOf('GET');
    this.heads = this.countsOf('HEAD');
    this.urlCache = delivery.createUrlCache<Ready>();
  }

  deliver(request: Request, server?: ConnectionServer): Response | Promise<Response> {
    const started = performance.now();
    const cached = this.urlCache.get(request.url);
    const target = cached?.target ?? parseDeliveryUrl(request.url);
    const ready = cached ?? (target && this.getCached(target, request));
    if (ready) this.counts.cacheHits += 1;
    else this.counts.cacheMisses += 1;
    if (ready?.rules) {
      const error = this.ruleCheck.refuse(request, server, ready.rules);
      if (error) return this.logged(request, started, errorResponse(error), ready.path);
    }
    const responding = ready
      ? this.respond(request, ready, ready.target, server)
      : this.open(target, request, server);
    if (responding instanceof Response) {
      return this.logged(request, started, responding, ready?.path);
    }
    return responding
      .catch((error) => this.toErrorResponse(error, request))
      .then((response) => this.logged(request, started, response));
  }

  refuse(request: Request, error: AppError): Response {
    return this.logged(request, performance.now(), errorResponse(error));
  }

  private getCached(target: Ready['target'], request: Request): Ready | undefined {
    const cached = this.delivery.getCached(target, request);
    if (!cached) return undefined;
    const path = pathOf(request.url);
    const countSent = this.counterOf(target.bucketId, target.fileId);
    const ready = { path, target, ...cached, countSent };
    if (isByUrl(cached.deliverable)) this.urlCache.set(request.url, ready);
    return ready;
  }

  private async open(
    target: DeliveryTarget | null,
    request: Request,
    server?: ConnectionServer,
  ): Promise<Response> {
    if (target) return this.openTarget(target, request, server);
    const address = parsePathUrl(request.url);
    if (!address) throw notFound('File');
    const found = await this.delivery.findByPath(address);
    if (found.isVideo) return redirectTo(request.url, found.target);
    const response = await this.openTarget(found.target, request, server);
    // The cache by URL begins a new second, as the address may have been looked up in the one before.
    this.urlCache.get(request.url);
    this.getCached(found.target, request);
    return response;
  }

  private async openTarget(
    target: Ready['target'],
    request: Request,
    server?: ConnectionServer,
  ): Promise<Response> {
    let rules: FileRules | null = null;
    const check = (checked: FileRules) => {
      rules = checked;
      const error = this.ruleCheck.refuse(request, server, checked);
      if (error) throw error;
    };
    const { deliverable, cacheControl } = await this.delivery.open(target, request, check);
    const preferences = {
      cacheControl: cacheControl ?? target.cacheControl,
      isDownload: target.isDownload,
    };
    const countSent = this.counterOf(target.bucketId, target.fileId);
    return this.respond(request, { deliverable, countSent, rules }, preferences, server);
  }

  private respond(
    request: Request,
    { deliverable, countSent, rules }: Pick<Ready, 'deliverable' | 'countSent' | 'rules'>,
    preferences: { cacheControl?: string | undefined; isDownload: boolean },
    server: ConnectionServer | undefined,
  ): Response | Promise<Response> {
    const responding = respondWith(request, deliverable, preferences, countSent, server);
    if (!rules) return responding;
    return responding instanceof Response
      ? restrictOrigins(responding, request, rules.rules)
      : responding.then((response) => restrictOrigins(response, request, rules.rules));
  }

  private toErrorResponse(error: unknown, request: Request): Response {
    if (error instanceof AppError) return errorResponse(error, request);
    this.log.error({ error: String(error), stack: (error as Error)?.stack }, 'delivery failed');
    return errorResponse(new AppError(500, 'unexpected', 'An unexpected error occurred.'));
  }

  /**
   * Counts and logs a response, and returns it. `path` comes from a parsed target, and so
   * holds nothing that JSON would escape.
   */
  private logged(request: Request, started: number, response: Response, plainPath?: string) {
    const ms = Math.round((performance.now() - started) * 10) / 10;
    for (const [name, value] of this.transport) response.headers.set(name, value);
    const { method } = request;
    const { status } = response;
    const counts =
      method === 'GET' ? this.gets : method === 'HEAD' ? this.heads : this.countsOf(method);
    countResponse(counts, status, ms);
    const path = plainPath ? `"${plainPath}"` : JSON.stringify(pathOf(request.url));
    this.log.info(`"method":"${method}","path":${path},"status":${status},"ms":${ms}`, 'request');
    return response;
  }

  private countsOf(method: string) {
    return this.counts.routeOf(method, '/cdn/*');
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

/**
 * Redirects a client from the path of a video to its playlist by id, as the playlist names its segments relative to
 * itself.
 */
function redirectTo(url: string, { bucketId, fileId, name }: DeliveryTarget): Response {
  const start = pathStart(url);
  const question = url.indexOf('?', start);
  const query = question < 0 ? '' : url.slice(question);
  const headers = {
    ...SECURITY_HEADERS,
    location: `/cdn/${bucketId}/${fileId}/${name}${query}`,
    'cache-control': 'private, no-store',
  };
  return new Response(null, { status: 302, headers });
}

/** Returns the path of a URL for the log, without the query, which may contain a token. */
function pathOf(url: string): string {
  const start = pathStart(url);
  const end = url.indexOf('?', start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}
