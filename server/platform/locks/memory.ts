import type { Locks } from './port.ts';

/** Opens locks for the only process that uses its database. */
export function openMemoryLocks(): Locks {
  const held = new Set<string>();
  const { signal } = new AbortController();
  return {
    async tryTake(name) {
      if (held.has(name)) return null;
      held.add(name);
      let isMine = true;
      return {
        lost: signal,
        async release() {
          if (isMine) held.delete(name);
          isMine = false;
        },
      };
    },
    async close() {},
  };
}
