import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

export type Received = {
  id: string;
  headers: Record<string, string>;
  text: string;
  body: { type: string; timestamp: string; data: { file?: { id: string; status: string } } };
};

type Responder = (received: Received) => Response | Promise<Response>;
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts an endpoint for webhooks on 127.0.0.1. It runs in Node and in Bun. */
export async function startReceiver(response: Responder = () => new Response('thank you')) {
  const received: Received[] = [];
  const state = { respond: response };
  const server = createServer(async (request, response) => {
    const one = await read(request);
    received.push(one);
    const reply = await state.respond(one);
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    response.end(await reply.text());
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    received,
    port,
    url: `http://127.0.0.1:${port}/hook`,
    /** Sets the response to the next webhooks. */
    respondWith(next: Responder) {
      state.respond = next;
    },
    /** Waits for the first webhook that matches. */
    async waitFor(fits: (one: Received) => boolean, seconds = 100): Promise<Received> {
      for (let i = 0; i < seconds * 50; i += 1) {
        const existing = received.find(fits);
        if (existing) return existing;
        await sleep(20);
      }
      throw new Error(`not received; there are ${received.map(({ body }) => body.type)}`);
    },
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function read(request: IncomingMessage): Promise<Received> {
  const text = await textOf(request);
  const headers = request.headers as Record<string, string>;
  return { id: headers['webhook-id'] ?? '', headers, text, body: JSON.parse(text) };
}

/** Throws if a webhook was not signed with this secret. */
export const verify = (secret: string, { text, headers }: Received) =>
  new Webhook(secret).verify(text, headers);
