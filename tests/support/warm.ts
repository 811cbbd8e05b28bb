import type { InProcessServer } from './in-process-server.ts';

/** Asks until an answer is one of those that the server remembers; the status of that. */
export async function warm({ services }: InProcessServer, address: string): Promise<number> {
  for (let i = 0; i < 20; i += 1) {
    const before = services.counts.cacheHits;
    const { status } = await fetch(address);
    if (services.counts.cacheHits > before) return status;
  }
  throw new Error(`${address} is never remembered`);
}
