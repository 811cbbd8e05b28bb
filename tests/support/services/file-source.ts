import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const DRIP_INTERVAL_MS = 4_000;

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

/** Starts a server on 127.0.0.1 from which files are imported. It answers each path as it is told. */
export async function startFileSource() {
  const answers = new Map<string, Answer>();
  const requested: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://source').pathname;
    requested.push(path);
    const answer = answers.get(path);
    if (answer) return answer(response, request);
    response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    /** The paths of all requests, in their order. */
    requested,
    /** Sets what a path is answered with, and returns its URL. */
    serve(
      path: string,
      answer: Answer | Uint8Array | string,
      headers: Record<string, string> = {},
    ) {
      answers.set(
        path,
        typeof answer === 'function'
          ? answer
          : (response) => {
              const body = Buffer.from(answer);
              response.writeHead(200, { 'content-length': body.length, ...headers }).end(body);
            },
      );
      return url + path;
    },
    /**
     * Begins a file at a path that never ends, and resolves when its download is ended. A piece comes every few
     * seconds, as a server that is silent for half a minute would be left.
     */
    serveSlowly(path: string, piece: Uint8Array) {
      const requests: Promise<void>[] = [];
      answers.set(path, (response) => {
        const dripping = setInterval(() => response.write(piece), DRIP_INTERVAL_MS);
        requests.push(once(response, 'close').then(() => clearInterval(dripping)));
        response.writeHead(200).write(piece);
      });
      return { url: url + path, requests };
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
