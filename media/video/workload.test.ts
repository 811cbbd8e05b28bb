import { describe, expect, test } from 'bun:test';
import { checkVideoWork, LONG_VIDEO_WORK, videoWork } from './workload.ts';

const UHD = { width: 3840, height: 2160 };
const HD = { width: 1920, height: 1080 };
const SMALL = [
  { width: 1280, height: 720 },
  { width: 854, height: 480 },
  { width: 640, height: 360 },
  { width: 426, height: 240 },
];
const video = (source = HD, sizes = [HD], hours = 1, frames = 30) => ({
  ...{ source, sizes, durationMs: hours * 3_600_000 },
  rate: { frames, seconds: 1 },
});

test('counts the pixels of all sizes, and those to decode by what they cost', () => {
  const second = { ...video(), durationMs: 1000, rate: { frames: 10, seconds: 1 } };
  expect(videoWork(second)).toBe(10 * 1920 * 1080 * 1.3);
  expect(videoWork({ ...second, sizes: [HD, HD] })).toBe(10 * 1920 * 1080 * 2.3);
});

describe('is accepted', () => {
  test.each([
    ['a film of three hours in 1080p60 with all sizes', video(HD, [HD, ...SMALL], 3, 60)],
    ['a stream of ten hours in 1080p', video(HD, [HD, ...SMALL], 10)],
    ['two hours of 4K with all sizes', video(UHD, [UHD, HD, ...SMALL], 2)],
    ['twelve hours of 4K in a small size', video(UHD, SMALL.slice(2), 12)],
  ])('%s', (_, one) => {
    expect(() => checkVideoWork(one, true)).not.toThrow();
  });
});

describe('is refused for good, with the reason', () => {
  test.each([
    [
      'twelve hours of 4K in eight sizes',
      video(UHD, Array(8).fill(UHD), 12),
      '8 resolutions (12.0',
    ],
    ['twelve hours of 4K', video(UHD, [UHD], 12), 'its resolution (12.0 hours)'],
    ['four hours of 4K60', video(UHD, [UHD], 4, 60), 'Select fewer or smaller'],
  ])('%s', (_, one, reason) => {
    expect(() => checkVideoWork(one, true)).toThrow(reason);
    expect(() => checkVideoWork(one, false)).toThrow(reason);
  });
});

test('a long video is for the background, and no other one', () => {
  const film = video(HD, [HD, ...SMALL], 2);
  expect(videoWork(film)).toBeGreaterThan(LONG_VIDEO_WORK);
  expect(() => checkVideoWork(film, false)).toThrow(
    expect.objectContaining({ retry: 'background' }),
  );
  const clip = video(HD, [HD, ...SMALL], 0.25);
  expect(() => checkVideoWork(clip, false)).not.toThrow();
});
