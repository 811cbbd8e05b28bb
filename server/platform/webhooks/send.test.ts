import { afterAll, afterEach, expect, test } from 'bun:test';
import { createServer, type Server, type Socket } from 'node:net';
import { startReceiver, verify } from '../../../tests/support/client/receiver.ts';
import { until } from '../../../tests/support/client/wait.ts';
import type { Resolve } from '../outbound/ssrf-policy.ts';
import { createSend } from './send.ts';
import { newWebhookSecret } from './target.ts';
import { CERTIFICATES } from './testing/certificates.ts';

const SECRET = newWebhookSecret();
const MESSAGE = {
  id: '01jwnnsvg0rcan9jrmmh2f51q7',
  body: '{"type":"file.success","text":"häfen"}',
};
const NEVER = new AbortController().signal;

const receiver = await startReceiver();
afterAll(() => receiver.stop());
afterEach(() => {
  receiver.received.splice(0);
  receiver.respondWith(() => new Response('thank you'));
});

const local: Resolve = async () => ['127.0.0.1'];
const sender = (options: Partial<Parameters<typeof createSend>[0]> = {}) =>
  createSend({ clock: Date.now, allowPrivate: true, resolve: local, timeout: 2_000, ...options });
const send = (url = receiver.url, options = {}) =>
  sender(options)({ url, secrets: [SECRET] }, MESSAGE, NEVER);

const raw: Server[] = [];
afterAll(() => raw.forEach((server) => void server.close()));
/** Starts an endpoint that answers as `talk` does. */
async function speaks(talk: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => talk(socket));
  });
  raw.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
}

test('a delivery is verified by the standard library, and by no other secret', async () => {
  const outcome = await send();
  expect(outcome).toMatchObject({ status: 200, text: 'thank you', retryAfter: null });
  const [one] = receiver.received;
  if (!one) throw new Error('nothing came');
  // What is recorded as sent is what arrived.
  expect(outcome.request?.url).toBe(receiver.url);
  expect(one.headers).toMatchObject(outcome.request?.headers as Record<string, string>);
  expect(Object.keys(outcome.request?.headers ?? {})).toContain('webhook-signature');
  expect(one.text).toBe(MESSAGE.body);
  expect(one.headers).toMatchObject({
    'webhook-id': MESSAGE.id,
    'content-type': 'application/json',
    host: `127.0.0.1:${receiver.port}`,
  });
  expect(verify(SECRET, one)).toEqual(JSON.parse(MESSAGE.body));
  expect(() => verify(newWebhookSecret(), one)).toThrow();
  expect(() => verify(SECRET, { ...one, text: one.text.replace('success', 'deleted') })).toThrow();
});

test('with two secrets either of them verifies', async () => {
  const old = newWebhookSecret();
  await sender()({ url: receiver.url, secrets: [SECRET, old] }, MESSAGE, NEVER);
  const [one] = receiver.received;
  if (!one) throw new Error('nothing came');
  for (const secret of [SECRET, old]) expect(verify(secret, one)).toBeTruthy();
});

test('the name is looked up once: what it leads to a moment later gets nothing', async () => {
  const inside = Bun.serve({
    port: receiver.port,
    hostname: '127.0.0.2',
    fetch: () => new Response('in'),
  });
  let requests = 0;
  const rebinding: Resolve = async () => {
    requests += 1;
    return [requests === 1 ? '127.0.0.1' : '127.0.0.2'];
  };
  const outcome = await send(`http://rebind.example:${receiver.port}/hook`, { resolve: rebinding });
  await inside.stop(true);
  expect(outcome).toMatchObject({ status: 200, text: 'thank you' });
  expect(requests).toBe(1);
  expect(receiver.received[0]?.headers.host).toBe(`rebind.example:${receiver.port}`);
});

test('without leave nothing is sent to this machine, by number or by name', async () => {
  const names: [string, Resolve][] = [
    [receiver.url, local],
    [`http://hooks.example:${receiver.port}/`, local],
    [`http://hooks.example:${receiver.port}/`, async () => ['93.184.216.34', '127.0.0.1']],
    [`http://[::ffff:127.0.0.1]:${receiver.port}/`, local],
    [`http://2130706433:${receiver.port}/`, local],
  ];
  for (const [url, resolve] of names) {
    const outcome = await send(url, { allowPrivate: false, resolve });
    const text = 'The host resolves to an address that is not public.';
    expect(outcome).toEqual({ status: null, text, retryAfter: null, request: null });
  }
  expect(receiver.received).toEqual([]);
});

test('a proxy of the environment is not used', async () => {
  process.env.HTTP_PROXY = 'http://127.0.0.1:1';
  try {
    expect(await send()).toMatchObject({ status: 200 });
  } finally {
    delete process.env.HTTP_PROXY;
  }
});

test('a redirect is not followed', async () => {
  receiver.respondWith(() => Response.redirect(`http://127.0.0.1:${receiver.port}/elsewhere`, 307));
  expect(await send()).toMatchObject({ status: 307 });
  expect(receiver.received).toHaveLength(1);
});

test('the answer says how long to wait, and is kept short and on one line', async () => {
  receiver.respondWith(
    () =>
      new Response(`no\r\n\u0000\u001b[31m${'x'.repeat(5_000_000)}`, {
        status: 503,
        headers: { 'retry-after': '90' },
      }),
  );
  const outcome = await send();
  expect(outcome).toMatchObject({ status: 503, retryAfter: 90_000 });
  expect(outcome.text).toStartWith('no [31mxxx');
  expect(outcome.text.length).toBeLessThanOrEqual(1024);
});

test('an answer without end is read no further than it is kept', async () => {
  let closed = false;
  const url = await speaks((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    const timer = setInterval(() => {
      socket.write(`200\r\n${'y'.repeat(512)}\r\n`);
    }, 5);
    socket.on('close', () => {
      clearInterval(timer);
      closed = true;
    });
  });
  expect(await send(url)).toMatchObject({ status: 200 });
  await until(async () => closed);
});

const drip = (socket: Socket) => {
  socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
  const timer = setInterval(() => socket.write('a'), 50);
  socket.on('close', () => clearInterval(timer));
};
for (const [how, talk] of [
  ['silent', () => {}],
  ['dripping', drip],
] as const) {
  test(`a ${how} endpoint costs no more than the time limit`, async () => {
    const url = await speaks(talk);
    const outcome = await send(url, { timeout: 300 });
    expect(outcome).toMatchObject({ status: null, text: 'The request timed out.' });
  });
}

test('a resolver that never answers costs no more than the time limit', async () => {
  const outcome = await send('http://slow.example/', {
    timeout: 200,
    resolve: () => new Promise(() => {}),
  });
  expect(outcome).toMatchObject({ status: null, text: 'The request timed out.' });
});

test('what is wrong with an endpoint is said without its addresses', async () => {
  const textOf = async (url: string, options = {}) => (await send(url, options)).text;
  expect(await textOf('http://127.0.0.1:1/')).toBe('The connection was refused.');
  expect(await textOf(await speaks((socket) => socket.end('nonsense\r\n\r\n')))).toBe(
    'The response was not HTTP.',
  );
  expect(await textOf(await speaks((socket) => socket.destroy()))).toBe(
    'The connection was closed before a response arrived.',
  );
  const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  expect(await textOf('http://nobody.example/', { resolve: () => Promise.reject(unknown) })).toBe(
    'The host was not found.',
  );
});

test('where the first address cannot be connected to, the next one is', async () => {
  const resolve: Resolve = async () => ['127.0.0.3', '127.0.0.1'];
  const outcome = await send(`http://two.example:${receiver.port}/hook`, { resolve });
  expect(outcome).toMatchObject({ status: 200 });
});

test('a certificate must be good and be of the name, although the connection is made by number', async () => {
  const secure = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: CERTIFICATES.map(({ name, cert, key }) => ({ serverName: name, cert, key })),
    fetch: (request) => new Response(request.headers.get('host')),
  });
  const [first, second] = CERTIFICATES;
  const to = (name: string, ca?: string) => send(`https://${name}:${secure.port}/`, { ca });
  const all = CERTIFICATES.map(({ cert }) => cert).join('\n');
  for (const { name } of CERTIFICATES) {
    // Each host name has its own certificate, so the client must have sent the name (SNI).
    expect(await to(name, all)).toMatchObject({ status: 200, text: `${name}:${secure.port}` });
  }
  expect(await to(first?.name ?? '')).toMatchObject({ status: null });
  expect(await to(first?.name ?? '', second?.cert)).toMatchObject({ status: null });
  const wrong = await to('other.example', all);
  expect(wrong.status).toBeNull();
  expect(wrong.text).toStartWith('The certificate is not valid');
  await secure.stop(true);
});

test('a stop is no outcome', async () => {
  const stop = new AbortController();
  receiver.respondWith(() => new Promise(() => {}));
  const sending = sender()({ url: receiver.url, secrets: [SECRET] }, MESSAGE, stop.signal);
  setTimeout(() => stop.abort(new Error('stopping')), 100);
  await expect(sending).rejects.toThrow('stopping');
});
