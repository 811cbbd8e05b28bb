import type { Locks } from './port.ts';

/** Opens locks for the only process that uses its database. */
export function openMemoryLocks(): Locks {
  const names = new Set<string>();
  const { signal } = new AbortController();
  return {
    async tryTake(name) {
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
    },
    async close() {},
  };
}
