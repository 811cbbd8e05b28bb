import { MIB } from '../../contract/limits.ts';

/** A whole collection stops everything for some 30 ms: at most one for so many bytes. */
const EVERY = 32 * MIB;
/** A server that is this small, as with one upload at a time, needs none. */
const ROOMY = 150 * MIB;

let since = 0;

/**
 * To be told of bytes that came from a client and have been passed on. Their buffers lie outside the
 * collector's heap, which hardly grows, so it comes late: with ten uploads at once the process
 * held 230 MiB, of which 130 were in use.
 */
export function reportFreedMemory(bytes: number): void {
  since += bytes;
  if (since < EVERY) return;
  since = 0;
  if (process.memoryUsage.rss() > ROOMY) Bun.gc(true);
}
