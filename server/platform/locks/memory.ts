import type { Lock, Locks } from './port.ts';

/** Opens locks for the only process that uses its database, which therefore shares none. */
export function openMemoryLocks(): Locks {
  const names = new Set<string>();
  const { signal } = new AbortController();
  async function take(name: string): Promise<Lock | null> {
    if (names.has(name)) return null;
    names.add(name);
    let isMine = true;
    return {
      lost: signal,
      async release() {
        if (isMine) names.delete(name);
        isMine = false;
      },
    };
  }
  return { tryTake: take, tryShare: take, async close() {} };
}
