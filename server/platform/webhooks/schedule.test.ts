import { expect, test } from 'bun:test';
import { DAY, HOUR, MINUTE, SECOND } from '../../contract/limits.ts';
import { delayAfter, RETRY_DELAYS_MS, retryAfterOf } from './schedule.ts';

test('the delays are 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h', () => {
  const delays = RETRY_DELAYS_MS.map((_, step) => delayAfter(step, null, () => 0));
  const hours = [2, 5, 10, 14, 20, 24].map((count) => count * HOUR);
  expect(delays).toEqual([5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...hours]);
  expect(delayAfter(RETRY_DELAYS_MS.length, null, () => 0)).toBeNull();
});

test('jitter only ever lengthens, by a tenth at most', () => {
  expect(delayAfter(1, null, () => 1)).toBe(5.5 * MINUTE);
  for (let i = 0; i < 100; i += 1) {
    const delay = delayAfter(0, null, Math.random) ?? 0;
    expect(delay).toBeGreaterThanOrEqual(5 * SECOND);
    expect(delay).toBeLessThanOrEqual(5.5 * SECOND);
  }
});

test('an endpoint gets the time it asks for, a day at most, and never less than the schedule', () => {
  expect(delayAfter(0, HOUR, () => 0)).toBe(HOUR);
  expect(delayAfter(3, SECOND, () => 0)).toBe(2 * HOUR);
  expect(delayAfter(0, 100 * DAY, () => 0)).toBe(DAY);
  expect(delayAfter(RETRY_DELAYS_MS.length, HOUR, () => 0)).toBeNull();
});

test('Retry-After is read as seconds or as a date; nonsense is none', () => {
  const now = Date.parse('2025-06-01T12:00:00Z');
  expect(retryAfterOf('120', now)).toBe(2 * MINUTE);
  expect(retryAfterOf('Sun, 01 Jun 2025 12:10:00 GMT', now)).toBe(10 * MINUTE);
  expect(retryAfterOf('Sun, 01 Jun 2025 11:00:00 GMT', now)).toBe(0);
  for (const nonsense of [undefined, '', '-5', 'soon', '99999999999']) {
    expect(retryAfterOf(nonsense, now)).toBeNull();
  }
});
