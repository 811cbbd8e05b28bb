import { AppError, notFound } from '../../errors.ts';
import type { Log } from '../../platform/log.ts';
import { type Counts, countAnswer } from '../../platform/metrics/counts.ts';
import { isSystemError } from '../../platform/system-error.ts';
import type { Sent } from './byte-counter.ts';
import { type DeliveryTarget, parseDeliveryUrl, pathStart } from './delivery-url.ts';
import { errorResponse, methodNotAllowed } from './error-response.ts';
import { answerPreflight } from './headers/preflight.ts';
import { respondWith } from './respond.ts';
import type { Delivery } from './service.ts';
import { type Deliverable, isByUrl } from './variants.ts';

/** All that an answer is made of, beside the request's own conditions. */
type Ready = { path: string; target: DeliveryTarget; deliverable: Deliverable; sent: Sent };

/**
 * `/cdn/{bucketID}/{fileID}/{name}`, as routes of Bun's own: delivery is the hot path, and a
 * framework's context for each request costs more than a small file does. So it writes its own
 * log line, and its answers carry no request id, which a shared cache would hand to everybody.
 */
export function deliveryRoutes({
  delivery,
  log,
  counterOf,
  counts,
}: {
  delivery: Delivery;
  log: Log;
  /** For a file: what is told of every byte of it that is sent. */
  counterOf: (bucketId: string, fileId: string) => Sent;
  counts: Counts;
}) {
  const answers = (method: string) => counts.routeOf(method, '/cdn/*');
  const [gets, heads] = [answers('GET'), answers('HEAD')];

  const lately = delivery.lately<Ready>();

  const deliver = (request: Request): Response | Promise<Response> => {
    const started = performance.now();
    const ready = lately.get(request.url) ?? atHand(request);
    if (ready) counts.cacheHits += 1;
    else counts.cacheMisses += 1;
    const answered = ready
      ? respondWith(request, ready.deliverable, ready.target, ready.sent)
      : answer(request);
    if (answered instanceof Response) return logged(request, started, answered, ready?.path);
    return answered
      .catch((error) => refused(error, request))
      .then((response) => logged(request, started, response));
  };

  const atHand = (request: Request): Ready | undefined => {
    const target = parseDeliveryUrl(request.url);
    const deliverable = target && delivery.atHand(target, request);
    if (!deliverable) return undefined;
    const path = pathOf(request.url);
    const ready = { path, target, deliverable, sent: counterOf(target.bucketId, target.fileId) };
    if (isByUrl(deliverable)) lately.set(request.url, ready);
    return ready;
  };

  const answer = async (request: Request) => {
    const target = parseDeliveryUrl(request.url);
    if (!target) throw notFound('File');
    const { deliverable, cacheControl } = await delivery.open(target, request);
    const wishes = { cacheControl, isDownload: target.isDownload };
    const sent = counterOf(target.bucketId, target.fileId);
    return respondWith(request, deliverable, wishes, sent);
  };

  const refused = (error: unknown, request: Request): Response => {
    if (error instanceof AppError) return errorResponse(error, request);
    log.error({ error: String(error), stack: (error as Error)?.stack }, 'delivery failed');
    return errorResponse(new AppError(500, 'unexpected', 'An unexpected error occurred.'));
  };

  /** `plainPath` is of a target, and so holds nothing that JSON would write in another way. */
  const logged = (request: Request, started: number, response: Response, plainPath?: string) => {
    const ms = Math.round((performance.now() - started) * 10) / 10;
    const { method } = request;
    const { status } = response;
    const answered = method === 'GET' ? gets : method === 'HEAD' ? heads : answers(method);
    countAnswer(answered, status, ms);
    const path = plainPath ? `"${plainPath}"` : JSON.stringify(pathOf(request.url));
    log.info(`"method":"${method}","path":${path},"status":${status},"ms":${ms}`, 'request');
    return response;
  };

  const refuseMethod = (request: Request) =>
    logged(request, performance.now(), errorResponse(methodNotAllowed()));

  return {
    '/cdn/*': {
      GET: deliver,
      HEAD: deliver,
      OPTIONS: answerPreflight,
      POST: refuseMethod,
      PUT: refuseMethod,
      PATCH: refuseMethod,
      DELETE: refuseMethod,
    },
  };
}

/**
 * For what Bun meets when it sends a body: mostly that the object has been removed since it was
 * looked up. Without this it answers 500 with a page of its own, which names the path on our disk.
 */
export const answerLost =
  (log: Log) =>
  (error: unknown): Response => {
    if (isSystemError(error, 'ENOENT')) return errorResponse(notFound('File'));
    log.error({ error: String(error) }, 'sending failed');
    return errorResponse(new AppError(500, 'unexpected', 'An unexpected error occurred.'));
  };

/** Without the query: that is where tokens are. */
function pathOf(url: string): string {
  const start = pathStart(url);
  const end = url.indexOf('?', start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}
