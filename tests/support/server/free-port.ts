import { once } from 'node:events';
import { createServer } from 'node:net';

/** The range is below Linux' ports for outgoing connections, which could take a restarting server's port. */
const FIRST = 12_000;
const COUNT = 20_000;
/** The distance between the first ports of two processes, so that parallel runs rarely collide. */
const STRIDE = 97;

let next = (process.pid * STRIDE) % COUNT;

/** Returns a port of 127.0.0.1 that is free now, another one at each call. */
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
