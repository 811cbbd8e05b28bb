import { ERRORS, type Lock, type Locker } from '@tus/server';
import { MINUTE, SECOND } from '../../../contract/limits.ts';
import type { Events } from '../../../platform/events/port.ts';
import type { Lock as HeldLock, Locks } from '../../../platform/locks/port.ts';

const TOPIC = 'tus-release';
const POLL_INTERVAL_MS = SECOND / 10;
const RELEASE_REQUEST_INTERVAL_MS = SECOND;
const LOCK_TIMEOUT_MS = MINUTE / 2;

/**
 * Creates the lock by which each upload has one request at a time, in all processes. A client that
 * lost its connection returns while its last request still seems to run. So the new request
 * publishes that it waits, and the other one stops reading, stores what has arrived, and releases
 * the lock.
 */
export function createLocker(
  locks: Pick<Locks, 'tryTake'>,
  events: Events,
  timeoutMs: number = LOCK_TIMEOUT_MS,
): Locker {
  /** The functions that make this process release the lock of an upload, by the upload's id. */
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
      await Bun.sleep(POLL_INTERVAL_MS);
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
          // The signal may outlive the lock, and would keep the request in memory.
          lock?.lost.removeEventListener('abort', release);
          await lock?.release();
        },
      };
    },
  };
}
