import { Webhook } from 'standardwebhooks';

export type Received = {
  id: string;
  headers: Record<string, string>;
  text: string;
  body: { type: string; timestamp: string; data: { file?: { id: string; status: string } } };
};

type Answer = (received: Received) => Response | Promise<Response>;
export type Receiver = ReturnType<typeof startReceiver>;

/** A real endpoint for webhooks on 127.0.0.1. */
export function startReceiver(answer: Answer = () => new Response('thank you')) {
  const received: Received[] = [];
  const said = { answer };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request): Promise<Response> {
      const text = await request.text();
      const headers = Object.fromEntries(request.headers);
      const one = { id: headers['webhook-id'] ?? '', headers, text, body: JSON.parse(text) };
      received.push(one);
      return said.answer(one);
    },
  });
  return {
    received,
    port: server.port ?? 0,
    url: `http://127.0.0.1:${server.port}/hook`,
    /** What it says from now on. */
    answers(next: Answer) {
      said.answer = next;
    },
    /** Waits for the first that fits. */
    async waitFor(fits: (one: Received) => boolean, seconds = 30): Promise<Received> {
      for (let i = 0; i < seconds * 50; i += 1) {
        const found = received.find(fits);
        if (found) return found;
        await Bun.sleep(20);
      }
      throw new Error(`not received; there are ${received.map(({ body }) => body.type)}`);
    },
    stop: () => server.stop(true),
  };
}

/** Throws where the signature is not that of this secret. */
export const verify = (secret: string, { text, headers }: Received) =>
  new Webhook(secret).verify(text, headers);
