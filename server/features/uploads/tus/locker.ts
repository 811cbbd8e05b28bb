import { ERRORS, type Lock, type Locker } from '@tus/server';
import { MINUTE, SECOND } from '../../../contract/limits.ts';
import type { Events } from '../../../platform/events/port.ts';
import type { Lock as HeldLock, Locks } from '../../../platform/locks/port.ts';

const TOPIC = 'tus-release';
const LOOK_EVERY = SECOND / 10;
const RELEASE_REQUEST_INTERVAL_MS = SECOND;
const LOCK_TIMEOUT_MS = MINUTE / 2;

/**
 * One request at a time for each upload, whichever process it reaches. A client that lost its
 * connection comes back while its last request still seems to run: whoever wants the upload asks
 * for it, and the request that holds it stops reading, keeps what has arrived, and lets go.
 */
export function createLocker(
  locks: Locks,
  events: Events,
  timeoutMs: number = LOCK_TIMEOUT_MS,
): Locker {
  /** Of this process, by upload. */
  const holders = new Map<string, () => void>();
  events.subscribe(TOPIC, (payload) => {
    holders.get((payload as { id: string }).id)?.();
  });

  async function take(id: string, stop: AbortSignal): Promise<HeldLock> {
    const name = `tus:${id}`;
    const deadline = performance.now() + timeoutMs;
    let nextRequestAt = 0;
    while (!stop.aborted && performance.now() < deadline) {
      const lock = await locks.tryTake(name);
      if (lock) return lock;
      if (performance.now() >= nextRequestAt) {
        nextRequestAt = performance.now() + RELEASE_REQUEST_INTERVAL_MS;
        await events.publish(TOPIC, { id });
      }
      await Bun.sleep(LOOK_EVERY);
    }
    throw ERRORS.ERR_LOCK_TIMEOUT;
  }

  return {
    newLock(id): Lock {
      let lock: HeldLock | undefined;
      let release = () => {};
      return {
        async lock(stop, requestRelease) {
          lock = await take(id, stop);
          release = () => void requestRelease();
          holders.set(id, release);
          lock.lost.addEventListener('abort', release, { once: true });
        },
        async unlock() {
          if (holders.get(id) === release) holders.delete(id);
          // The signal may outlive the lock, and would keep the request with it.
          lock?.lost.removeEventListener('abort', release);
          await lock?.release();
        },
      };
    },
  };
}
