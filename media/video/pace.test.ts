import { describe, expect, test } from 'bun:test';
import { HOUR, MINUTE, SECOND } from '../../server/contract/limits.ts';
import { BACKGROUND_PACE, countedTime, FOREGROUND_PACE, isTooSlow, type Pace } from './pace.ts';

const PREPARING_MS = 2 * SECOND;

/** Returns when a video is found too slow whose encoding would take `totalMs`; null where it never is. */
function foundAfter(totalMs: number, pace: Pace): number | null {
  for (let elapsedMs = 0; elapsedMs <= PREPARING_MS + totalMs; elapsedMs += SECOND) {
    const fraction = Math.max(0, elapsedMs - PREPARING_MS) / totalMs;
    if (isTooSlow({ elapsedMs, fraction }, pace)) return elapsedMs;
  }
  return null;
}

describe('in the foreground', () => {
  test.each([
    ['that makes no progress', 1000 * HOUR, 9 * SECOND],
    ['of an hour', HOUR, 10 * SECOND],
    ['of a quarter of an hour', 15 * MINUTE, 12 * SECOND],
    ['of ten minutes', 10 * MINUTE, 20 * SECOND],
  ])('a video %s is found too slow before much work is lost', (_, totalMs, latestMs) => {
    const found = foundAfter(totalMs, FOREGROUND_PACE);
    expect(found).not.toBeNull();
    expect(found).toBeLessThanOrEqual(latestMs);
  });

  test.each([
    ['a second', SECOND],
    ['a minute', MINUTE],
    ['five minutes', 5 * MINUTE],
  ])('a video of %s stays', (_, totalMs) => {
    expect(foundAfter(totalMs, FOREGROUND_PACE)).toBeNull();
  });

  test.each([0, 0.1, 0.5, 0.9, 1])(
    'no video stays for longer than about ten minutes, not one of which %d is done',
    (fraction) => {
      const elapsedMs = 10 * MINUTE + 9 * SECOND;
      expect(isTooSlow({ elapsedMs, fraction }, FOREGROUND_PACE)).toBe(true);
    },
  );

  test('a video that slows down when most of it is done stays', () => {
    const late = { elapsedMs: 7 * MINUTE, fraction: 0.85 };
    expect(isTooSlow(late, FOREGROUND_PACE)).toBe(false);
  });
});

describe('in the background', () => {
  test.each([
    ['ten years', 87_600 * HOUR, 11 * MINUTE],
    ['four days', 96 * HOUR, 13 * MINUTE],
    ['a day', 24 * HOUR, 45 * MINUTE],
  ])('a video of %s is found too slow early', (_, totalMs, latestMs) => {
    const found = foundAfter(totalMs, BACKGROUND_PACE);
    expect(found).not.toBeNull();
    expect(found).toBeLessThanOrEqual(latestMs);
  });

  test.each([1, 6, 11, 12])('a video of %d hours stays', (hours) => {
    expect(foundAfter(hours * HOUR, BACKGROUND_PACE)).toBeNull();
  });

  test('a video of eight hours stays whose first run takes half more than its share', () => {
    const first = { elapsedMs: 2 * HOUR, fraction: 2 / 12 };
    expect(isTooSlow(first, BACKGROUND_PACE)).toBe(false);
  });
});

test.each([
  ['on a machine of its own', 1000, 1000],
  ['with all cores of it', 8000, 1000],
  ['with half a core beside other work', 500, 500],
  ['with hardly anything, so that it does not stay for ever', 1, 100],
])('of a second %s, so much counts', (_, processorMs, counted) => {
  expect(countedTime({ elapsedMs: 1000, processorMs })).toBe(counted);
});
