import { totalmem } from 'node:os';

/** Returns the bytes of memory that this process may use: the machine's, or those of its container or unit. */
export function machineMemory(): number {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(limit, totalmem());
}
