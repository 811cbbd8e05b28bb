import { describe, expect, test } from 'bun:test';
import { inSlices, nextLimit } from './slices.ts';

test.each([
  // A quick slice is followed by a larger one, a slow slice by a smaller one.
  [512, 1, 1024],
  [512, 8, 512],
  [512, 14, 512],
  [512, 40, 256],
  [256, 500, 256],
  [4096, 1, 4096],
])('after %i rows in %i ms the next slice has %i', (limit, elapsedMs, next) => {
  expect(nextLimit(limit, elapsedMs)).toBe(next);
});

describe('work in slices', () => {
  /** Returns a step over `rows` rows, and how many rows each of its slices took. */
  function stepOver(rows: number) {
    const taken: number[] = [];
    const step = async (limit: number) => {
      const count = Math.min(limit, rows);
      rows -= count;
      taken.push(count);
      return count;
    };
    return { step, taken };
  }

  test.each([0, 1, 256, 257, 9000])('ends after all of %i rows', async (rows) => {
    const { step, taken } = stepOver(rows);
    expect(await inSlices(step)).toBe(rows);
    expect(taken.reduce((sum, count) => sum + count, 0)).toBe(rows);
  });

  test('lets a timer fire between two slices', async () => {
    let fired = 0;
    const timer = setInterval(() => {
      fired += 1;
    }, 0);
    const { step } = stepOver(9000);
    await inSlices(step);
    clearInterval(timer);
    expect(fired).toBeGreaterThan(0);
  });

  test('stops between two slices, and a repeated call does the rest', async () => {
    const aborter = new AbortController();
    const { step, taken } = stepOver(9000);
    const reason = new Error('the server is stopping');
    const stopping = async (limit: number) => {
      if (taken.length === 2) aborter.abort(reason);
      return step(limit);
    };
    expect(await inSlices(stopping, aborter.signal).catch((error) => error)).toBe(reason);
    expect(taken).toHaveLength(3);
    await inSlices(step);
    expect(taken.reduce((sum, count) => sum + count, 0)).toBe(9000);
  });
});
