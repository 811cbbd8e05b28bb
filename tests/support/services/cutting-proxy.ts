import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Starts a TCP proxy in front of `target` that breaks connections. The first connection that sends
 * `after[0]` bytes to the server is destroyed on both sides, the next one at `after[1]`, and so on. Later
 * connections are not broken, except while the proxy is `away`.
 */
export async function startCuttingProxy(target: () => number, after: number[] = []) {
  let cuts = 0;
  let isAway = false;
  const open = new Set<Socket>();
  const breakAll = () => {
    for (const socket of open) socket.destroy();
  };
  const proxy = createServer((client) => {
    if (isAway) return void client.destroy();
    const server = connect(target(), '127.0.0.1');
    let sentBytes = 0;
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        open.delete(socket);
        end();
      });
    }
    client.on('data', (bytes) => {
      sentBytes += bytes.length;
      if (sentBytes >= (after[cuts] ?? Number.POSITIVE_INFINITY)) {
        cuts += 1;
        return end();
      }
      if (!server.write(bytes)) client.pause();
    });
    server.on('drain', () => client.resume());
    server.pipe(client);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (!address || typeof address === 'string') throw new Error('The proxy has no port.');
  return {
    port: address.port,
    cuts: () => cuts,
    /** Breaks all connections and takes no other ones, as a server that was killed, until `back`. */
    away() {
      isAway = true;
      breakAll();
    },
    back() {
      isAway = false;
    },
    async stop() {
      breakAll();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
