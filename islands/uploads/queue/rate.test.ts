import { describe, expect, test } from 'bun:test';
import { createRateMeter, remainingTime } from './rate.ts';

describe('the rate', () => {
  test('is unknown until half a second has passed', () => {
    const meter = createRateMeter();
    expect(meter.add(0, 0)).toBeNull();
    expect(meter.add(400, 1000)).toBeNull();
    expect(meter.add(500, 1000)).toBe(2000);
  });

  test('is that of the last five seconds, not of the whole upload', () => {
    const meter = createRateMeter();
    for (let second = 0; second <= 20; second += 1) meter.add(second * 1000, second * 100);
    for (let second = 21; second <= 30; second += 1) {
      meter.add(second * 1000, 2000 + (second - 20) * 900);
    }
    expect(meter.add(31_000, 2000 + 11 * 900)).toBe(900);
  });

  test('is zero while nothing leaves', () => {
    const meter = createRateMeter();
    meter.add(0, 500);
    meter.add(1000, 500);
    expect(meter.add(2000, 500)).toBe(0);
  });

  test('begins anew after a break, so that the break does not count', () => {
    const meter = createRateMeter();
    meter.add(0, 0);
    meter.add(1000, 1000);
    expect(meter.add(61_000, 1000)).toBeNull();
    expect(meter.add(62_000, 3000)).toBe(2000);
  });

  test('begins anew when a part is sent again', () => {
    const meter = createRateMeter();
    meter.add(0, 0);
    meter.add(1000, 5000);
    expect(meter.add(2000, 1000)).toBeNull();
    expect(meter.add(3000, 2000)).toBe(1000);
  });
});

describe('the time left', () => {
  test.each([
    [1000, 1000, '1 s left'],
    [1, 1000, '1 s left'],
    [59_000, 1000, '59 s left'],
    [60_000, 1000, '1 min left'],
    [61_000, 1000, '2 min left'],
    [3_600_000, 1000, '1 h 0 min left'],
    [7_199_000, 1000, '2 h 0 min left'],
    [5_000_000, 1000, '1 h 24 min left'],
  ])('for %p bytes at %p a second is %p', (bytes, rate, text) => {
    expect(remainingTime(bytes, rate)).toBe(text);
  });

  test.each([null, 0, -1])('is not told at a rate of %p', (rate) => {
    expect(remainingTime(1000, rate)).toBeNull();
  });
});
