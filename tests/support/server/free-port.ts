import { once } from 'node:events';
import { createServer, type ListenOptions, type Server } from 'node:net';

/** The range is below Linux' ports for outgoing connections, which could take a restarting server's port. */
const FIRST = 12_000;
const COUNT = 20_000;
/** The distance between the first ports of two processes, so that parallel runs rarely meet. */
const STRIDE = 97;

let next = (process.pid * STRIDE) % COUNT;

/** Returns a port of 127.0.0.1 that is free now, another one at each call and in each process. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = FIRST + next;
    next = (next + 1) % COUNT;
    if ((await claim(port)) && (await isFree(port))) return port;
  }
  throw new Error('There is no free port.');
}

/**
 * Claims a port until this process ends, also while its server has not started or restarts. The claim is a socket
 * in Linux' abstract namespace, which ends with the process. Other systems have none, and claim nothing.
 */
async function claim(port: number): Promise<boolean> {
  const code = await listen({ path: `\0wharf-test-port-${port}` }, (server) => server.unref());
  return code !== 'EADDRINUSE';
}

const isFree = async (port: number) =>
  (await listen({ port, host: '127.0.0.1' }, (server) => server.close())) === null;

/** Listens, then calls `use`. Returns the code of the error, or null. */
async function listen(address: ListenOptions, use: (server: Server) => unknown) {
  const server = createServer();
  try {
    await once(server.listen(address), 'listening');
    use(server);
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  }
}
