import { describe, expect, test } from 'bun:test';
import { HOUR, MINUTE, SECOND } from '../../server/contract/limits.ts';
import { type VideoTimes, watchVideo } from './watch-video.ts';

/**
 * Returns times whose clock advances by `stepMs` whenever it is read, which each check does, and a function
 * that waits for so many reads. Tools have a share of that time.
 */
function stepping(stepMs: number, more: Partial<VideoTimes> = {}, share = 1) {
  let reads = 0;
  const waiting: { count: number; resolve: () => void }[] = [];
  const monotonicClock = () => {
    reads += 1;
    for (const { count, resolve } of waiting) if (reads >= count) resolve();
    return reads * stepMs;
  };
  const reading = (count: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push({ count: reads + count, resolve });
    return promise;
  };
  const { signal } = new AbortController();
  const processorTime: VideoTimes['processorTime'] = {
    get ms() {
      return reads * stepMs * share;
    },
    measure: (work) => work(),
  };
  const videoCheckIntervalMs = 1;
  const times = { signal, monotonicClock, processorTime, videoCheckIntervalMs, ...more };
  return { times, reading, reads: () => reads };
}

/** Rejects with the signal's reason. */
const aborted = ({ signal }: { signal: AbortSignal }) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

describe('a video without progress', () => {
  test('leaves the foreground for the background after nine seconds', async () => {
    const { times, reads } = stepping(SECOND);
    await expect(watchVideo(false, times, aborted)).rejects.toMatchObject({ retry: 'background' });
    expect(reads()).toBe(10);
  });

  test('stays four times as long where its tools get a quarter of a core', async () => {
    const { times, reads } = stepping(SECOND, {}, 0.25);
    await expect(watchVideo(false, times, aborted)).rejects.toMatchObject({ retry: 'background' });
    expect(reads()).toBe(34);
  });

  test('is given up in the background, with a sentence', async () => {
    const { times } = stepping(MINUTE);
    await expect(watchVideo(true, times, aborted)).rejects.toMatchObject({
      retry: 'never',
      message: 'The video would take more than 12 hours to process.',
    });
  });

  test('stays in the background while other jobs slow it down, but not in the foreground', async () => {
    const { times, reading } = stepping(MINUTE, { isAlone: () => false });
    await expect(watchVideo(false, times, aborted)).rejects.toMatchObject({ retry: 'background' });
    await watchVideo(true, times, async ({ signal }) => {
      await reading(60);
      expect(signal.aborted).toBe(false);
    });
  });

  test('stays while it waits for the storage', async () => {
    const { times, reading } = stepping(SECOND);
    await watchVideo(false, times, async ({ signal, pause }) => {
      await pause(() => reading(60));
      expect(signal.aborted).toBe(false);
    });
  });
});

test.each([
  ['foreground', false, SECOND],
  ['background', true, MINUTE],
])('a video that progresses stays in the %s', async (_, isBackground, stepMs) => {
  const { times, reading } = stepping(stepMs);
  await watchVideo(isBackground, times, async ({ signal, report }) => {
    for (let percent = 1; percent <= 60; percent += 1) {
      report(percent / 100);
      await reading(1);
    }
    expect(signal.aborted).toBe(false);
  });
});

test('a video is given up for good at its deadline', async () => {
  const { times } = stepping(0, { videoTimeoutMs: 1 });
  await expect(watchVideo(true, times, aborted)).rejects.toMatchObject({
    retry: 'never',
    message: 'The video took too long to process.',
  });
});

test('a video ends when it is cancelled', async () => {
  const abort = new AbortController();
  const { times } = stepping(0, { signal: abort.signal, videoTimeoutMs: HOUR });
  const made = watchVideo(false, times, aborted);
  abort.abort(new Error('cancelled'));
  await expect(made).rejects.toThrow('cancelled');
});
