import { expect, test } from 'bun:test';
import { openMemoryEvents } from '../../../platform/events/memory.ts';
import { openMemoryLocks } from '../../../platform/locks/memory.ts';
import { createLocker } from './locker.ts';

const NEVER = new AbortController().signal;
const nothing = () => {};

function twoProcesses(timeoutMs?: number) {
  const locks = openMemoryLocks();
  const events = openMemoryEvents({
    onError(error) {
      throw error;
    },
  });
  return [createLocker(locks, events, timeoutMs), createLocker(locks, events, timeoutMs)] as const;
}

test('whoever wants an upload that another process holds asks for it, and waits until it is let go', async () => {
  const [one, other] = twoProcesses();
  const lock = one.newLock('a');
  let requests = 0;
  await lock.lock(NEVER, async () => {
    requests += 1;
    await Bun.sleep(20);
    await lock.unlock();
  });
  const next = other.newLock('a');
  await next.lock(NEVER, nothing);
  expect(requests).toBeGreaterThan(0);
  await next.unlock();
});

test('uploads do not wait for each other, and nobody is asked for another one', async () => {
  const [one, other] = twoProcesses();
  const lock = one.newLock('a');
  await lock.lock(NEVER, () => {
    throw new Error('nobody wants it');
  });
  const next = other.newLock('b');
  await next.lock(NEVER, nothing);
  await next.unlock();
  await lock.unlock();
});

test('waiting ends in time, or with the request', async () => {
  const [one, other] = twoProcesses(150);
  const lock = one.newLock('a');
  await lock.lock(NEVER, nothing);
  const waiting = other.newLock('a').lock(NEVER, nothing);
  expect(await Promise.resolve(waiting).catch((error) => error)).toMatchObject({
    status_code: 500,
  });
  const aborted = other.newLock('a').lock(AbortSignal.abort(), nothing);
  expect(await Promise.resolve(aborted).catch((error) => error)).toMatchObject({
    status_code: 500,
  });
  await lock.unlock();
  const last = other.newLock('a');
  await last.lock(NEVER, nothing);
});

test('a lock that was lost ends the request that held it', async () => {
  const loss = new AbortController();
  const locks = {
    tryTake: async () => ({ lost: loss.signal, release: async () => {} }),
    close: async () => {},
  };
  const locker = createLocker(locks, openMemoryEvents({ onError: () => {} }));
  let requests = 0;
  await locker.newLock('a').lock(NEVER, () => {
    requests += 1;
  });
  loss.abort();
  expect(requests).toBe(1);
});

test('a lock that was given back holds on to nothing of its request', async () => {
  const { signal } = new AbortController();
  const locks = {
    tryTake: async () => ({ lost: signal, release: async () => {} }),
    close: async () => {},
  };
  const events = openMemoryEvents({ onError: nothing });
  const listening = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listening.add(args[1]);
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listening.delete(args[1]);
    removeEventListener.apply(signal, args);
  };
  const lock = createLocker(locks, events).newLock('a');
  await lock.lock(NEVER, nothing);
  expect(listening.size).toBe(1);
  await lock.unlock();
  expect(listening.size).toBe(0);
});
