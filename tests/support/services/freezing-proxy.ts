import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Starts a TCP proxy in front of the server of a `postgres://` URL. After `freeze` the connections that are open
 * stay open, but nothing gets through any more, as if the other machine had vanished. Later connections work.
 */
export async function startFreezingProxy(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  const pairs = new Set<[Socket, Socket]>();
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    const pair: [Socket, Socket] = [client, server];
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    client.pipe(server);
    server.pipe(client);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (!address || typeof address === 'string') throw new Error('The proxy has no port.');
  const url = new URL(databaseUrl);
  url.port = String(address.port);
  return {
    url: url.href,
    freeze() {
      for (const socket of [...pairs].flat()) socket.unpipe().pause();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of [...pairs].flat()) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
