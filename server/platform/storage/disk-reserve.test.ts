import { expect, test } from 'bun:test';
import { GIB } from '../../contract/limits.ts';
import { DiskReserve } from './disk-reserve.ts';
import { writeStream } from './write-stream.ts';

const FULL = { status: 507, code: 'storage-full' };
const reserveOf = (bytes: number, free: number) => new DiskReserve(bytes, async () => free);
const outcome = (work: Promise<unknown>) => work.then(() => 'done').catch((error) => error);

test.each([
  [100, 100, 0, true],
  [100, 99, 0, false],
  [100, 150, 50, true],
  [100, 150, 51, false],
  [0, 0, 0, true],
  [0, 10, 11, false],
])('a reserve of %d with %d free takes %d more: %p', async (bytes, free, more, fits) => {
  const result = await outcome(reserveOf(bytes, free).require(more));
  if (fits) expect(result).toBe('done');
  else expect(result).toMatchObject(FULL);
});

test.each([
  [10 * GIB, 99, 1],
  [10 * GIB, 100, 2],
  [2 * GIB, 0, 2],
])(
  'a disk with %d bytes free is measured again after %d ms: %d times in all',
  async (free, after, times) => {
    let [now, measured] = [5, 0];
    const measure = async () => {
      measured += 1;
      return free;
    };
    const reserve = new DiskReserve(GIB, measure, 1, () => now);
    await reserve.require();
    now += after;
    await reserve.require();
    expect(measured).toBe(times);
  },
);

test('work does not start where the reserve is used up', async () => {
  let started = false;
  const work = async () => {
    started = true;
  };
  const { signal } = new AbortController();
  expect(await outcome(reserveOf(100, 99).guard(signal, work))).toMatchObject(FULL);
  expect(started).toBe(false);
});

test('work is aborted when it has used half of the reserve, or by its caller', async () => {
  let free = 100;
  const reserve = new DiskReserve(100, async () => free, 1);
  const untilAborted = (signal: AbortSignal) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      free = 49;
    });
  const { signal } = new AbortController();
  expect(await outcome(reserve.guard(signal, untilAborted))).toMatchObject(FULL);

  free = 200;
  const caller = new AbortController();
  const work = (aborted: AbortSignal) => {
    queueMicrotask(() => caller.abort());
    return untilAborted(aborted);
  };
  expect(await outcome(reserve.guard(caller.signal, work))).toMatchObject({ message: 'aborted' });
});

test('a stream ends where it reaches the reserve', async () => {
  const size = 1024 * 1024;
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1;
      controller.enqueue(new Uint8Array(size));
    },
  });
  const reserve = new DiskReserve(0, async () => (10 - sent) * size);
  const path = `${process.env.TMPDIR ?? '/tmp'}/wharf-reserve-${crypto.randomUUID()}`;
  expect(await outcome(writeStream(body, path, { reserve }))).toMatchObject(FULL);
  expect(sent).toBeLessThan(20);
  await Bun.file(path).delete();
});
