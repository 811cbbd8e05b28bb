import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { groupServer } from '../../support/server/group-server.ts';

const server = await groupServer();

/** Sends bytes to the server, and returns what it sends until it closes the connection. */
const sendRaw = (text: string) =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });

const SMUGGLED = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n';
const AMBIGUOUS = {
  'a length and chunks': 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'two lengths': 'Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd',
  'an encoding that nobody knows': 'Transfer-Encoding: xchunked\r\n\r\n',
};

for (const [name, rest] of Object.entries(AMBIGUOUS)) {
  test(`a request whose end is ambiguous, with ${name}, smuggles no other one in`, async () => {
    const head = 'POST /users/logout HTTP/1.1\r\nHost: a\r\n';
    const received = await sendRaw(head + rest + SMUGGLED);
    expect(received.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 400']);
  });
}

test('TRACE is no method, and echoes no header', async () => {
  const secret = 'echo-me';
  const received = await sendRaw(
    `TRACE / HTTP/1.1\r\nHost: a\r\nX-Secret: ${secret}\r\nConnection: close\r\n\r\n`,
  );
  expect(received).toStartWith('HTTP/1.1 404');
  expect(received).not.toContain(secret);
});

test('every text says its character set', async () => {
  const types: Record<string, string> = {
    '/': 'text/html',
    '/login': 'text/html',
    '/docs/openapi.json': 'application/json',
    '/users/profile': 'text/plain',
    '/cdn/a/b': 'text/plain',
  };
  for (const [path, type] of Object.entries(types)) {
    const { headers } = await fetch(server.url + path);
    expect(headers.get('content-type')?.replace('; ', ';')).toBe(`${type};charset=utf-8`);
  }
});
