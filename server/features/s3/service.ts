import type { Log } from '../../platform/log.ts';
import { type Counts, countResponse } from '../../platform/metrics/counts.ts';
import { SECURITY_HEADERS } from '../delivery/service.ts';
import type { S3Caller, SignedRequest } from './auth/types.ts';
import { emptyResponse, type OperationDeps } from './context.ts';
import { S3Error } from './errors.ts';
import { type CorsRequest, corsHeaders, preflight } from './operations/cors/answer.ts';
import { toS3Error } from './refusals.ts';
import {
  bucketOfHost,
  parseAddress,
  parseQuery,
  type S3Request,
  type S3Response,
} from './request.ts';
import { route } from './router.ts';
import { writeErrorXml } from './xml/write.ts';

export { authenticate } from './auth/authenticate.ts';
export { authenticateForm } from './auth/form-signature.ts';
export { SigningKeys } from './auth/signing-key.ts';
export type { OperationDeps } from './context.ts';
export { S3Diagnosis } from './diagnosis/service.ts';
export { S3Error } from './errors.ts';
export { bootstrapS3 } from './keys/bootstrap.ts';
export { S3Keys } from './keys/service.ts';
export { KnownBuckets } from './known-buckets.ts';
export { listenS3, type S3Listener } from './listener/listen.ts';
export { nameOf } from './operations/keys.ts';
export { parseStoredFields, storedHeaders } from './operations/object-headers.ts';
export { viewObject } from './operations/object-view.ts';
export { processAs } from './process-as.ts';

/** What every response has. Which scripts may read it is said for each. */
const {
  'access-control-allow-origin': _origin,
  'access-control-expose-headers': _exposed,
  ...HEADERS
} = SECURITY_HEADERS;

type Options = {
  deps: OperationDeps;
  /** Returns who sends a request that may have been signed for one of some hosts. Throws S3Error. */
  authenticate: (request: SignedRequest, hosts: readonly string[]) => Promise<S3Caller>;
  config: { url: string; domain: string | null };
  log: Log;
  counts: Counts;
};

/** A request, and who it is from, once that is known. */
type Sent = Pick<CorsRequest, 'request' | 'caller'>;

/** The S3 API: answers requests from whichever listener they come. */
export class S3Api {
  constructor(private readonly options: Options) {}

  /** Answers a request. Never rejects. */
  async handle(request: S3Request): Promise<S3Response> {
    const started = performance.now();
    const { log, counts } = this.options;
    const sent: Sent = { request, caller: { kind: 'anonymous' } };
    const response = await this.respond(sent).catch((error) => this.toResponse(request, error));
    const ms = Math.round((performance.now() - started) * 10) / 10;
    const { method, rawPath } = request;
    const { status } = response;
    countResponse(counts.routeOf(method, '/s3/*'), status, ms);
    log.info({ id: request.id, method, path: rawPath, status, ms }, 'request');
    const cors = await this.corsHeaders(sent, status);
    const own = { 'x-amz-request-id': request.id, ...HEADERS };
    return { ...response, headers: { ...own, ...cors, ...response.headers } };
  }

  private async respond(sent: Sent): Promise<S3Response> {
    const { request } = sent;
    const { deps, config } = this.options;
    const address = parseAddress(request, config.domain);
    if (request.method === 'OPTIONS') {
      sent.caller = await this.callerOfPreflight(request);
      return emptyResponse(200, await preflight(deps, { ...sent, address }));
    }
    const query = parseQuery(request.rawQuery);
    sent.caller = await this.authenticate(request);
    return route(deps, { ...sent, query }, address);
  }

  private authenticate(request: S3Request): Promise<S3Caller> {
    const { authenticate, config } = this.options;
    // A host of a bucket decides which one it is, so only the one that was sent can have been signed.
    const isOfBucket = bucketOfHost(request.headers.get('host'), config.domain) !== null;
    return authenticate(request, isOfBucket ? [] : [new URL(config.url).host]);
  }

  /**
   * Returns who has signed the URL of a preflight for the request that will follow. Where that also signs headers, which a
   * preflight only names, nobody is known.
   */
  private async callerOfPreflight(request: S3Request): Promise<S3Caller> {
    const method = request.headers.get('access-control-request-method') ?? '';
    try {
      return await this.authenticate({ ...request, method });
    } catch (error) {
      if (error instanceof S3Error) return { kind: 'anonymous' };
      throw error;
    }
  }

  /** Returns the headers for a script that has sent a request; none where they can't be found out. */
  private async corsHeaders(sent: Sent, status: number): Promise<Record<string, string>> {
    const { request } = sent;
    if (request.method === 'OPTIONS') return {};
    const { deps, config, log } = this.options;
    try {
      const address = parseAddress(request, config.domain);
      return await corsHeaders(deps, { ...sent, address }, status);
    } catch (error) {
      const isOurs = !(error instanceof S3Error);
      if (isOurs) log.error({ id: request.id, error: String(error) }, 'CORS failed');
      return {};
    }
  }

  private toResponse(request: S3Request, error: unknown): S3Response {
    const expected = toS3Error(error);
    if (!expected) {
      const stack = (error as Error)?.stack;
      this.options.log.error({ id: request.id, error: String(error), stack }, 'failed');
    }
    const answered =
      expected ?? new S3Error('InternalError', 'An unexpected error occurred. Try again.');
    // "A response to a HEAD request has no body": its code is told by a header, which SDKs don't read.
    if (request.method === 'HEAD') {
      return emptyResponse(answered.status, {
        'x-amz-error-code': answered.code,
        ...answered.headers,
      });
    }
    return {
      status: answered.status,
      headers: {
        'content-type': 'application/xml',
        'cache-control': 'no-store',
        ...answered.headers,
      },
      body: writeErrorXml([
        ['Code', answered.code],
        ['Message', answered.message],
        ...Object.entries(answered.details),
        ['Resource', request.rawPath],
        ['RequestId', request.id],
      ]),
    };
  }
}
