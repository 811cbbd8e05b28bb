import { afterAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { CERTIFICATES } from '../webhooks/testing/certificates.ts';
import { createDownload } from './download.ts';
import { DownloadError } from './download-error.ts';
import { checkedAddresses } from './ssrf-policy.ts';

const NEVER = new AbortController().signal;
const servers: Server[] = [];
const sockets = new Set<Socket>();
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

/** Starts a server that answers each request as `talk` does, and returns its port and the heads of the requests. */
async function speaks(talk: (socket: Socket, head: string) => void) {
  const heads: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (data) => {
      heads.push(String(data));
      talk(socket, String(data));
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { port, heads, url: `http://127.0.0.1:${port}/files/photo.jpg` };
}

const answer = (head: string[], body: string | Uint8Array = '') =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 ${head.join('\r\n')}\r\n\r\n`, 'latin1'),
    Buffer.from(body),
  ]);

const options = { allowPrivate: true, resolve: async () => ['127.0.0.1'] };
const open = (url: string, more: Partial<Parameters<typeof createDownload>[0]> = {}) =>
  createDownload({ ...options, ...more })(new URL(url), NEVER);

async function read(url: string, more: Partial<Parameters<typeof createDownload>[0]> = {}) {
  const { body, ...download } = await open(url, more);
  const parts: Uint8Array[] = [];
  for await (const bytes of body) parts.push(bytes);
  return { ...download, text: String(Buffer.concat(parts)) };
}

/** Returns the sentence with which a download is refused. */
const refusal = (url: string, more = {}) =>
  read(url, more).then(
    () => 'none',
    (error) => (error instanceof DownloadError ? error.message : error),
  );

test('a file comes with its length and its name, and nothing else is told to its server', async () => {
  const disposition = 'content-disposition: attachment; filename="harbour.jpg"';
  const { url, heads, port } = await speaks((socket) =>
    socket.end(answer(['200 OK', 'content-length: 5', disposition], 'hello')),
  );
  const file = await read(`${url}?size=large`);
  expect(file).toMatchObject({ text: 'hello', length: 5 });
  expect(file.disposition).toBe('attachment; filename="harbour.jpg"');
  const [line, ...headers] = heads[0]?.trimEnd().split('\r\n') ?? [];
  expect(line).toBe('GET /files/photo.jpg?size=large HTTP/1.1');
  expect(headers.map((one) => one.toLowerCase()).sort()).toEqual([
    'accept-encoding: identity',
    'accept: */*',
    'connection: close',
    `host: 127.0.0.1:${port}`,
    'user-agent: wharf-import',
  ]);
});

test('a file without a length ends with its last chunk, or with the connection', async () => {
  const chunked = await speaks((socket) =>
    socket.end(
      answer(['200 OK', 'transfer-encoding: chunked'], '3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n'),
    ),
  );
  expect(await read(chunked.url)).toMatchObject({ text: 'hello', length: null });
  const closed = await speaks((socket) =>
    socket.end(answer(['200 OK', 'connection: close'], 'hello')),
  );
  expect(await read(closed.url)).toMatchObject({ text: 'hello', length: null });
});

test('a file that is cut off is none', async () => {
  const text = 'The connection was closed before the whole file arrived.';
  const short = await speaks((socket) =>
    socket.end(answer(['200 OK', 'content-length: 9'], 'hello')),
  );
  expect(await refusal(short.url)).toBe(text);
  const chunked = await speaks((socket) =>
    socket.end(answer(['200 OK', 'transfer-encoding: chunked'], '5\r\nhello\r\n')),
  );
  expect(await refusal(chunked.url)).toBe(text);
  const reset = await speaks((socket) => {
    socket.write(answer(['200 OK', 'content-length: 9'], 'hello'), () => socket.resetAndDestroy());
  });
  expect(await refusal(reset.url)).toBe(text);
});

test('what is sent behind the announced length is not part of the file', async () => {
  const { url } = await speaks((socket) =>
    socket.end(answer(['200 OK', 'content-length: 5'], 'hello, and more')),
  );
  expect(await read(url)).toMatchObject({ text: 'hello', length: 5 });
});

test('redirects are followed, relative ones too, and the last URL is told', async () => {
  const { url, heads } = await speaks((socket, head) => {
    if (head.startsWith('GET /files/photo.jpg'))
      socket.end(answer(['302 Found', 'location: ../b.jpg?c']));
    else socket.end(answer(['200 OK', 'content-length: 2'], 'ok'));
  });
  const file = await read(url);
  expect([file.text, file.url.pathname, heads.length]).toEqual(['ok', '/b.jpg', 2]);
});

test('of ten redirects only five are followed', async () => {
  const { url, heads } = await speaks((socket, head) => {
    const step = Number(/step=(\d+)/.exec(head)?.[1] ?? 0);
    if (step < 10) socket.end(answer(['302 Found', `location: ?step=${step + 1}`]));
    else socket.end(answer(['200 OK', 'content-length: 2'], 'ok'));
  });
  expect(await refusal(url)).toBe('The server redirects more than 5 times.');
  expect(heads).toHaveLength(6);
});

test('no redirect leads to a file of this machine, another protocol, or a private address', async () => {
  const victim = await speaks((socket) => socket.end(answer(['200 OK'], 'secret')));
  // The first host is taken for a public one, although it is this machine.
  const findAddresses: typeof checkedAddresses = async (url, judging) =>
    url.hostname === 'public.example' ? ['127.0.0.1'] : checkedAddresses(url, judging);
  const noPublic = 'The host resolves to an address that is not public.';
  const targets = {
    'file:///etc/passwd': 'Only http and https URLs can be downloaded.',
    'ftp://127.0.0.1/a': 'Only http and https URLs can be downloaded.',
    'http://ana:secret@public.example/': "The URL can't contain a user name or a password.",
    'http://public.example:25/': 'The port of the URL must be 80, 443, or 1024 and above.',
    'http://169.254.169.254/latest/meta-data/': noPublic,
    [`http://127.0.0.1:${victim.port}/`]: noPublic,
    [`http://2130706433:${victim.port}/`]: noPublic,
    [`http://[::ffff:127.0.0.1]:${victim.port}/`]: noPublic,
    [`http://localhost:${victim.port}/`]: noPublic,
    'http://[': 'The server redirects to something that is not a URL.',
  };
  const refusals: Record<string, string> = {};
  for (const target of Object.keys(targets)) {
    const { port } = await speaks((socket) =>
      socket.end(answer(['302 Found', `location: ${target}`])),
    );
    const url = `http://public.example:${port}/`;
    refusals[target] = await refusal(url, { allowPrivate: false, findAddresses });
  }
  expect(refusals).toEqual(targets);
  expect(victim.heads).toEqual([]);
});

test('the addresses of metadata services are refused even where private ones are allowed', async () => {
  for (const host of ['169.254.169.254', '[fe80::1]', '[::ffff:169.254.169.254]']) {
    expect(await refusal(`http://${host}/latest/`)).toBe(
      'The host resolves to an address that is not public.',
    );
  }
});

test('a host whose address changes is connected at the one that was judged', async () => {
  const { port, heads } = await speaks((socket) =>
    socket.end(answer(['200 OK', 'content-length: 2'], 'ok')),
  );
  const addresses = ['127.0.0.1', '169.254.169.254'];
  const resolve = async () => addresses.splice(0, 1);
  expect((await read(`http://rebind.example:${port}/`, { resolve })).text).toBe('ok');
  expect([heads.length, addresses]).toEqual([1, ['169.254.169.254']]);
});

test('a server that stops sending is left, in each state', async () => {
  const text = 'The server stopped sending.';
  const silent = await speaks(() => {});
  const halfway = await speaks((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-le'));
  const inBody = await speaks((socket) =>
    socket.write(answer(['200 OK', 'content-length: 9'], 'hello')),
  );
  for (const { url } of [silent, halfway, inBody]) {
    expect(await refusal(url, { stallMs: 100 })).toBe(text);
  }
  expect(
    await refusal('http://slow.example/', { stallMs: 1, resolve: () => new Promise(() => {}) }),
  ).toBe(text);
});

test('a response that is no file is named by its status, and one in a coding is refused', async () => {
  const missing = await speaks((socket) =>
    socket.end(answer(['404 Not Found', 'content-length: 0'])),
  );
  expect(await refusal(missing.url)).toBe('The server responded with 404.');
  const part = await speaks((socket) =>
    socket.end(answer(['206 Partial Content', 'content-length: 2'], 'ok')),
  );
  expect(await refusal(part.url)).toBe('The server responded with 206.');
  const switching = await speaks((socket) =>
    socket.end(answer(['101 Switching Protocols', 'connection: upgrade', 'upgrade: h2c'])),
  );
  expect(await refusal(switching.url)).toMatch(
    /^The server (did not send a file|responded with 101)\.$/,
  );
  const bomb = gzipSync(Buffer.alloc(1_000_000));
  const packed = await speaks((socket) =>
    socket.end(
      answer(['200 OK', 'content-encoding: gzip', `content-length: ${bomb.length}`], bomb),
    ),
  );
  expect(await refusal(packed.url)).toBe(
    'The server sent the file compressed, although it was asked not to.',
  );
  const noHttp = await speaks((socket) => socket.end('220 mail.example ESMTP\r\n'));
  expect(await refusal(noHttp.url)).toBeString();
  expect(await refusal('http://127.0.0.1:1/')).toBe('The connection was refused.');
});

test('an endless file is read no faster than it is taken, and its server is left once it is closed', async () => {
  const piece = Buffer.alloc(65_536);
  let sent = 0;
  const closed = Promise.withResolvers<void>();
  const { url } = await speaks((socket) => {
    socket.on('close', () => closed.resolve());
    socket.write(answer(['200 OK']));
    const pump = () => {
      while (!socket.destroyed && socket.write(piece)) sent += piece.length;
    };
    socket.on('drain', pump);
    pump();
  });
  const { body, close } = await open(url);
  let taken = 0;
  for await (const bytes of body) {
    taken += bytes.byteLength;
    if (taken > 20_000_000) break;
  }
  close();
  await closed.promise;
  expect(sent - taken).toBeLessThan(20_000_000);
});

test('an abort ends a download with its own reason, before and while bytes come', async () => {
  const { url } = await speaks((socket) =>
    socket.write(answer(['200 OK', 'content-length: 9'], 'hello')),
  );
  const stop = new AbortController();
  const { body } = await createDownload(options)(new URL(url), stop.signal);
  const reading = (async () => {
    for await (const _ of body) stop.abort(new Error('the key was revoked'));
  })();
  await expect(reading).rejects.toThrow('the key was revoked');
  await expect(createDownload(options)(new URL(url), stop.signal)).rejects.toThrow(
    'the key was revoked',
  );
});

test('a certificate is checked against the name of the URL', async () => {
  const [first, second] = CERTIFICATES;
  if (!first || !second) throw new Error('two certificates are needed');
  const https = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert: first.cert, key: first.key },
    fetch: () => new Response('hello'),
  });
  try {
    const ca = first.cert;
    expect((await read(`https://${first.name}:${https.port}/`, { ca })).text).toBe('hello');
    const other = await refusal(`https://${second.name}:${https.port}/`, { ca });
    expect(other).toMatch(/^The certificate is not valid/);
  } finally {
    await https.stop(true);
  }
});
