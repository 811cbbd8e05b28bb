import { expect, test } from 'bun:test';
import { ApiError } from '../../runtime/api-error.ts';
import { retryDelayMs, withRetry } from './retry.ts';

const noResponse = new ApiError(0, 'lost');

/** Throws each of `failures` in turn, then returns 'done'. */
const failing = (...failures: unknown[]) => {
  const remaining = [...failures];
  return async () => {
    if (remaining.length > 0) throw remaining.shift();
    return 'done';
  };
};

test('a lost connection is waited for, and comes to its end at the online event at once', async () => {
  const pauses: number[] = [];
  // Without the event, the test would never end.
  const lost = new ApiError(0, 'lost', { retryAfter: 2 ** 31 - 1 });
  const work = withRetry(failing(lost, lost, lost), {
    onPause: ({ status }) => {
      pauses.push(status);
      setTimeout(() => globalThis.dispatchEvent(new Event('online')), 5);
    },
  });
  expect(await work).toBe('done');
  expect(pauses).toEqual([0, 0, 0]);
});

test.each([400, 401, 402, 404, 409, 410, 413, 415, 422, 500, 507])(
  'what the server refuses with %p is not asked again',
  async (status) => {
    const error = new ApiError(status, 'no');
    const pauses: ApiError[] = [];
    const work = withRetry(failing(error), { onPause: (failure) => pauses.push(failure) });
    expect(await work.catch((error) => error)).toBe(error);
    expect(pauses).toEqual([]);
  },
);

test('who stops does not wait for the connection', async () => {
  const controller = new AbortController();
  const work = withRetry(failing(noResponse), {
    signal: controller.signal,
    onPause: () => setTimeout(() => controller.abort('stopped'), 5),
  });
  expect(await work.catch((error) => error)).toBe('stopped');
});

test('the waits double to half a minute, unless the server names one', () => {
  expect([1, 2, 3, 5, 6, 7, 5000].map((failures) => retryDelayMs(failures, noResponse))).toEqual([
    1000, 2000, 4000, 16_000, 30_000, 30_000, 30_000,
  ]);
  expect(retryDelayMs(1, new ApiError(503, 'busy', { retryAfter: 5000 }))).toBe(5000);
});
