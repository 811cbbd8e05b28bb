import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { findConnection, type TcpConnection } from './connection.ts';

/** Requests `count` responses at once, and returns what each request found. */
async function connectionsOf(hostname: string, count = 1): Promise<(TcpConnection | null)[]> {
  const found: (TcpConnection | null)[] = [];
  await using server = Bun.serve({
    hostname,
    port: 0,
    fetch(request, bun) {
      found.push(findConnection(request, bun));
      return new Response('x'.repeat(1000));
    },
  });
  await Promise.all(
    Array.from({ length: count }, async () => (await fetch(server.url)).arrayBuffer()),
  );
  return found;
}

const descriptors = () => readdirSync('/proc/self/fd').length;

test.each(['127.0.0.1', '::', '::1'])('finds the connection of a client of %s', async (host) => {
  const [connection] = await connectionsOf(host);
  expect(connection?.info().written).toBeGreaterThan(1000);
  connection?.close();
});

test('finds as many connections as there are clients', async () => {
  const found = await connectionsOf('127.0.0.1', 20);
  expect(found).not.toContain(null);
  for (const connection of found) connection?.close();
});

test('counts what was written and what has arrived, also after the client has left', async () => {
  const { promise: finding, resolve } = Promise.withResolvers<TcpConnection | null>();
  const { promise: leaving, resolve: leave } = Promise.withResolvers<void>();
  await using server = Bun.serve({
    port: 0,
    fetch(request, bun) {
      request.signal.addEventListener('abort', () => leave());
      resolve(findConnection(request, bun));
      return new Response(new Uint8Array(64 * 1024 * 1024));
    },
  });
  const before = descriptors();
  const socket = connect(server.port ?? 0, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const connection = await finding;
  expect(connection?.isServed()).toBe(true);
  let read = 0;
  for await (const chunk of socket) {
    read += chunk.length;
    if (read > 1_000_000) break;
  }
  socket.destroy();
  await leaving;
  const { acknowledged, written } = connection?.info() ?? { acknowledged: 0, written: 0 };
  expect(acknowledged).toBeGreaterThanOrEqual(read);
  expect(written).toBeGreaterThanOrEqual(acknowledged);
  expect(written).toBeLessThan(64 * 1024 * 1024);
  expect(connection?.isServed()).toBe(false);
  connection?.close();
  expect(descriptors()).toBeLessThanOrEqual(before + 1);
});

test('finds none for a client that is not connected', () => {
  const server = { port: 1, requestIP: () => ({ address: '127.0.0.1', port: 2 }) };
  expect(findConnection(new Request('http://x'), server)).toBeNull();
  expect(findConnection(new Request('http://x'), { requestIP: () => null })).toBeNull();
});
