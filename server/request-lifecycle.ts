import { ValidationError } from 'elysia';
import { AppError, badRequest, invalid, noSuchCall, notFound, renderError } from './errors.ts';
import { countResponse } from './platform/metrics/counts.ts';
import type { Services } from './services.ts';
import { requireSmallBody } from './web/http/body-limit.ts';
import { wantsPage } from './web/http/content-negotiation.ts';
import { crossOriginHeaders } from './web/http/cross-origin.ts';
import { rejectCrossSiteRequests } from './web/http/cross-site-guard.ts';
import { defaultHeaders } from './web/http/csp.ts';
import { hasValidHost, invalidHost } from './web/http/host-header.ts';
import { deliveryHosts, isAtHost } from './web/http/own-address.ts';
import { errorPage, notFoundPage } from './web/render/page.tsx';

const ACCOUNTS = '/users/';
/** Paths below this one contain an email address, so the log shows only this part. */
const HIDDEN_PATH = '/users/send/email/';

/**
 * A request in progress. `failed` is the status of its error, which Elysia does not pass to the log
 * hook.
 */
type Started = { id: string; at: number; failed?: number };
type Headers = Record<string, string | number>;

/**
 * The hooks that handle every request, except those below `/cdn/`, for which see deliveryRoutes.
 */
export class RequestLifecycle {
  private readonly services: Services;
  private readonly defaults: Record<string, string>;
  private readonly cdnHosts: Set<string>;
  private isAddressUnknown: boolean;
  private readonly started = new WeakMap<Request, Started>();

  constructor(services: Services) {
    this.services = services;
    this.defaults = defaultHeaders([services.appUrl, ...services.regionRouter.cdnUrls]);
    this.isAddressUnknown = !services.config.isAppUrlSet;
    this.cdnHosts = deliveryHosts(services.regionRouter.cdnUrls, services.appUrl);
  }

  /** Gives a request an id. Throws AppError for a request that no route may handle. */
  begin(request: Request, headers: Headers): void {
    const id = Bun.randomUUIDv7();
    this.started.set(request, { id, at: performance.now() });
    headers['x-request-id'] = id;
    Object.assign(headers, this.defaults);
    // The URL contains the Host header, which a client can set to anything.
    if (!hasValidHost(request) || !URL.canParse(request.url)) throw invalidHost();
    if (this.isAddressUnknown && request.headers.has('x-forwarded-proto')) this.warnOfProxy();
    const pathname = pathOf(request);
    Object.assign(headers, crossOriginHeaders(pathname));
    if (isAtHost(request.url, this.cdnHosts) && !pathname.startsWith('/cdn/')) {
      throw notFound('File');
    }
    requireSmallBody(request, pathname);
    if (pathname.startsWith(ACCOUNTS)) rejectCrossSiteRequests(request, this.services.appUrl);
  }

  /** Says once what a start can't know: that people open another address than the one in our links. */
  private warnOfProxy(): void {
    this.isAddressUnknown = false;
    const text = 'a proxy is in front, but APP_URL is not set: links lead to the address below';
    this.services.log.warn({ appUrl: this.services.appUrl }, text);
  }

  /** Returns the response to a failed request: a page for browsers, and text for programs. */
  async fail(request: Request, code: number | string, error: unknown): Promise<Response> {
    const appError =
      code === 'NOT_FOUND' ? noSuchCall(this.services.appUrl) : toAppError(code, error);
    const started = this.started.get(request);
    if (started) started.failed = appError?.status ?? 500;
    if (!appError) {
      const stack = (error as Error)?.stack;
      this.services.log.error({ id: started?.id, error: String(error), stack }, 'failed');
    }
    if (wantsPage(request)) return this.failedPage(request, appError);
    return renderError(
      appError ?? new AppError(500, 'unexpected', 'An unexpected error occurred.'),
    );
  }

  private async failedPage(request: Request, appError: AppError | null): Promise<Response> {
    const { accounts, config } = this.services;
    const viewer = await accounts.viewerOf(request).catch(() => null);
    const page = { viewer, docsUrl: config.docsUrl };
    if (appError?.status === 404) return notFoundPage(page);
    return errorPage({ ...page, status: appError?.status ?? 500, text: appError?.text });
  }

  /** Counts and logs a request that was answered with `status`. */
  end(request: Request, route: string, status: number): void {
    const { counts, log } = this.services;
    const started = this.started.get(request);
    const reportedStatus = started?.failed ?? status;
    const ms = started && Math.round((performance.now() - started.at) * 10) / 10;
    countResponse(counts.routeOf(request.method, route), reportedStatus, ms ?? 0);
    const pathname = pathOf(request);
    const path = pathname.startsWith(HIDDEN_PATH) ? HIDDEN_PATH : pathname;
    log.info(
      { id: started?.id, method: request.method, path, status: reportedStatus, ms },
      'request',
    );
  }
}

/** Returns the path as the router sees it, to which '//users/login' is '/users/login'. */
const pathOf = ({ url }: Request) =>
  URL.canParse(url) ? new URL(url).pathname.replace(/^\/+/, '/') : '';

/**
 * Returns the AppError for an error of a route; null for an error of our own, which results in 500.
 * The text never contains the rejected value, which may be a password.
 */
export function toAppError(code: number | string, error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  const cause = (error as { cause?: unknown })?.cause;
  if (cause instanceof AppError) return cause;
  if (code === 'PARSE') return badRequest('The body could not be read. Send JSON.');
  if (error instanceof ValidationError && error.type !== 'response') {
    return invalid(sentenceOf(error));
  }
  return null;
}

function sentenceOf(error: ValidationError): string {
  // `error.all` formats the values, and throws for an object whose `toString` is not a function.
  const first = error.valueError as { schema?: { error?: unknown }; path?: string } | undefined;
  const text = first?.schema?.error;
  if (typeof text === 'string') return text;
  const field = (first?.path ?? '').replace(/^\//, '');
  if (!field)
    return error.type === 'body'
      ? 'Send the fields as a JSON object.'
      : 'The request is not valid.';
  return `${field} is missing or not valid.`;
}
