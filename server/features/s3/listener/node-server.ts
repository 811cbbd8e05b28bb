import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND } from '../../../contract/limits.ts';
import { freeBytes } from '../../../platform/free-bytes.ts';
import type { S3Request, S3Response } from '../request.ts';
import type { S3Api } from '../service.ts';
import { toBodyStream } from './body-stream.ts';

/** How long a connection stays open through which nothing passes. */
const IDLE_TIMEOUT_MS = 120 * SECOND;
const HEADERS_TIMEOUT_MS = 60 * SECOND;

/**
 * The connections whose request has arrived and whose response has not begun. To join the parts of a large object may
 * take longer than a connection may be silent.
 */
const working = new WeakSet<Socket>();

/**
 * Creates the server of the S3 API's own port. It is the one of `node:http`, which hands out a path as it was sent, as
 * its signature covers it, and sends a length with every body. `Bun.serve` resolves segments of dots, and sends streams
 * without a length.
 */
export function createS3Server(api: Pick<S3Api, 'handle'>): Server {
  const server = createServer((request, response) => void answer(api, request, response));
  const proceed = (request: IncomingMessage, response: ServerResponse) => {
    response.writeContinue();
    void answer(api, request, response);
  };
  server.on('checkContinue', proceed);
  // Java clients send '100-Continue'.
  server.on('checkExpectation', proceed);
  // A body may take hours, as long as bytes arrive.
  server.requestTimeout = 0;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.setTimeout(IDLE_TIMEOUT_MS, (socket) => {
    if (!working.has(socket)) socket.destroy();
  });
  return server;
}

async function answer(
  api: Pick<S3Api, 'handle'>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  // A client that leaves makes both fail, which is not an error of ours.
  incoming.on('error', () => {});
  outgoing.on('error', () => {});
  const { socket } = incoming;
  try {
    const request = toRequest(incoming);
    if (request.body === null) working.add(socket);
    else incoming.once('end', () => working.add(socket));
    const response = await api.handle(request);
    working.delete(socket);
    await send(response, incoming, outgoing);
  } catch {
    // Cut off, so that no client takes what has arrived for the whole.
    outgoing.destroy();
  }
}

function toRequest(incoming: IncomingMessage): S3Request {
  const headers = new Headers();
  const { rawHeaders, url = '/', method = 'GET' } = incoming;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  }
  // A proxy may send the whole address (RFC 9112, 3.2.2).
  const target = url.replace(/^https?:\/\/[^/?]*/i, '') || '/';
  const question = target.indexOf('?');
  const hasBody = headers.has('transfer-encoding') || Number(headers.get('content-length')) > 0;
  return {
    id: Bun.randomUUIDv7(),
    method,
    rawPath: question < 0 ? target : target.slice(0, question),
    rawQuery: question < 0 ? '' : target.slice(question + 1),
    headers,
    body: hasBody ? toBodyStream(incoming) : null,
    socketAddress: incoming.socket.remoteAddress ?? '',
    basePath: '',
  };
}

async function send(
  { status, headers, body, countSent }: S3Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  // What is left of a body that was refused is not read, so the connection can't be used again.
  const isUnread = !incoming.readableEnded && incoming.headers['content-length'] !== '0';
  const hasBody =
    incoming.headers['content-length'] !== undefined || 'transfer-encoding' in incoming.headers;
  const all = isUnread && hasBody ? { ...headers, connection: 'close' } : headers;
  if (body === null || typeof body === 'string') {
    const bytes = Buffer.from(body ?? '');
    // A response to HEAD says the length that one to GET has.
    const length = headers['content-length'] ?? String(bytes.byteLength);
    const isBodyless = status === 204 || status === 304;
    outgoing.writeHead(status, isBodyless ? all : { ...all, 'content-length': length });
    outgoing.end(bytes);
    return;
  }
  outgoing.writeHead(status, all);
  const stream = body instanceof Blob ? body.stream() : body;
  let missing = Number(headers['content-length']);
  for await (const piece of stream as ReadableStream<Uint8Array>) {
    if (outgoing.destroyed) return;
    countSent?.(piece.byteLength);
    missing -= piece.byteLength;
    if (!outgoing.write(piece, () => freeBytes(piece))) await drained(outgoing);
  }
  if (missing !== 0) throw new Error('the object has another size');
  outgoing.end();
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.once('drain', done);
    outgoing.once('close', done);
  });
}
