import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';

export type Call = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  body: string;
};
export type Reply = { status: number; body: string; type?: string; location?: string };
/** How a call of the API fails. 'hang' never responds. */
export type Trouble = { status: number; body?: string } | 'hang' | 'reset';

const FAILURE = JSON.stringify({ error: { type: 'api_error', message: 'something broke' } });

export const jsonReply = (status: number, value: unknown): Reply => ({
  status,
  body: JSON.stringify(value),
  type: 'application/json',
});

/**
 * Starts a fake payment provider on 127.0.0.1. `respond` implements its API and its pages. Each of the
 * `troubles` makes one call fail whose path begins with `/v1/`. It runs in Node and in Bun.
 */
export async function startFixture(respond: (call: Call) => Reply) {
  const calls: Call[] = [];
  const troubles: Trouble[] = [];
  const failures = new Map<string, Exclude<Trouble, 'hang'>[]>();
  const pending: (() => void)[] = [];
  const gate: { isShut: boolean; blockedPath: string | null } = {
    isShut: false,
    blockedPath: null,
  };

  const server = createServer(async (request, response) => {
    const call = await read(request);
    calls.push(call);
    const trouble = call.path.startsWith('/v1/') ? troubles.shift() : undefined;
    if (trouble === 'hang') return;
    if (trouble === 'reset') return void request.socket.destroy();
    if (trouble) {
      const { status, body = FAILURE } = trouble;
      return send(response, { status, body, type: 'application/json' });
    }
    const failure = failures.get(`${call.method} ${call.path}`)?.shift();
    if (failure === 'reset') {
      respond(call);
      return void request.socket.destroy();
    }
    if (failure) {
      return send(response, { body: FAILURE, ...failure, type: 'application/json' });
    }
    const reply = respond(call);
    const isBlocked = call.path === gate.blockedPath;
    if (isBlocked) gate.blockedPath = null;
    if (isBlocked || (gate.isShut && call.path.startsWith('/v1/'))) {
      await new Promise<void>((open) => pending.push(open));
    }
    send(response, reply);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    troubles,
    /** From now on the API handles calls, but does not respond. */
    shut() {
      gate.isShut = true;
    },
    /** Does the same, but only for the next call of one path. */
    keepNext(path: string) {
      gate.blockedPath = path;
    },
    /** Makes the next calls such as 'POST /v1/refunds' fail. A reset comes after the call was carried out. */
    failNext(call: string, ...next: Exclude<Trouble, 'hang'>[]) {
      failures.set(call, next);
    },
    waiting: () => pending.length,
    open() {
      gate.isShut = false;
      for (const one of pending.splice(0)) one();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function read(request: IncomingMessage): Promise<Call> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fixture');
  return {
    method: request.method ?? 'GET',
    path: pathname,
    query: searchParams,
    headers: request.headers as Record<string, string>,
    body: await textOf(request),
  };
}

function send(response: ServerResponse, { status, body, type, location }: Reply) {
  response.writeHead(status, {
    'content-type': type ?? 'text/html; charset=utf-8',
    ...(location && { location }),
  });
  response.end(body);
}
