import type { Server } from 'bun';
import { SECOND } from '../../../contract/limits.ts';
import { hasValidHost } from '../../../web/http/host-header.ts';
import { restartIdleTimeout } from '../../../web/http/idle-timeout.ts';
import { deliveryHosts, isAtHost } from '../../../web/http/own-address.ts';
import { countBody } from '../../delivery/service.ts';
import type { S3Request, S3Response } from '../request.ts';
import type { S3Api } from '../service.ts';

const BASE_PATH = '/s3';
const RESTART_INTERVAL_MS = 4 * SECOND;

type Services = {
  s3: Pick<S3Api, 'handle'> | null;
  appUrl: string;
  regionRouter: { cdnUrls: string[] };
};

type Handler = (request: Request, server: Server<unknown>) => Promise<Response>;

/**
 * Returns the routes of the S3 API below `/s3` of the app's own address, for servers with one port; none where it is
 * off. They are routes of Bun, since Elysia would decode the path that a signature covers.
 */
export function s3Routes({ s3, appUrl, regionRouter }: Services): Record<string, Handler> {
  if (!s3) return {};
  const cdnHosts = deliveryHosts(regionRouter.cdnUrls, appUrl);
  const handle: Handler = async (request, server) => {
    if (!hasValidHost(request)) return new Response(null, { status: 400 });
    // Files are delivered at these hosts, and nothing else is there.
    if (isAtHost(request.url, cdnHosts)) return new Response(null, { status: 404 });
    const arrival = { isComplete: request.body === null };
    const sent = toRequest(request, server, arrival);
    const response = await keptWaiting(s3.handle(sent), arrival, () =>
      restartIdleTimeout(server, request),
    );
    return toResponse(response, request, server);
  };
  return { [BASE_PATH]: handle, [`${BASE_PATH}/*`]: handle };
}

/** Whether all of a request is here. */
type Arrival = { isComplete: boolean };

/**
 * Keeps a connection open whose request has arrived, until there is a response: to join the parts of a large object, or to
 * copy one, may take longer than a connection may be silent.
 */
async function keptWaiting(
  response: Promise<S3Response>,
  arrival: Arrival,
  restart: () => void,
): Promise<S3Response> {
  const timer = setInterval(() => {
    if (arrival.isComplete) restart();
  }, RESTART_INTERVAL_MS);
  return response.finally(() => clearInterval(timer));
}

function toRequest(request: Request, server: Server<unknown>, arrival: Arrival): S3Request {
  const { url, method, headers } = request;
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const target = start < 0 ? '/' : url.slice(start);
  const question = target.indexOf('?');
  return {
    id: Bun.randomUUIDv7(),
    method,
    rawPath: question < 0 ? target : target.slice(0, question),
    rawQuery: question < 0 ? '' : target.slice(question + 1),
    headers,
    body: request.body && keptConnected(request.body, request, server, arrival),
    socketAddress: server.requestIP(request)?.address ?? '',
    basePath: BASE_PATH,
  };
}

/** Passes a body on, and keeps its connection open for as long as bytes arrive, however slowly. */
function keptConnected(
  body: ReadableStream<Uint8Array>,
  request: Request,
  server: Server<unknown>,
  arrival: Arrival,
): ReadableStream<Uint8Array> {
  let restartedAt = performance.now();
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        controller.enqueue(bytes);
        if (performance.now() - restartedAt < RESTART_INTERVAL_MS) return;
        restartedAt = performance.now();
        restartIdleTimeout(server, request);
      },
      flush() {
        arrival.isComplete = true;
      },
    }),
  );
}

function toResponse(
  { status, headers, body, countSent }: S3Response,
  request: Request,
  server: Server<unknown>,
): Response {
  if (body === null || typeof body === 'string') return new Response(body, { status, headers });
  const size = Number(headers['content-length']);
  const counted = countSent ? countBody(body, size, countSent, { request, server }) : body;
  return new Response(counted, { status, headers });
}
