import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what Linux gives to outgoing connections: one of those may take the port of a server that starts again. */
const FIRST = 12_000;
const COUNT = 20_000;
/** How far apart two processes begin, so that those that run side by side rarely meet. */
const STRIDE = 97;

let next = (process.pid * STRIDE) % COUNT;

/** A port of 127.0.0.1 that nobody listens on at this moment, another one at each call. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = FIRST + next;
    next = (next + 1) % COUNT;
    if (await isFree(port)) return port;
  }
  throw new Error('There is no free port.');
}

async function isFree(port: number) {
  const probe = createServer();
  try {
    await once(probe.listen(port, '127.0.0.1'), 'listening');
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
}
