import { describe, expect, test } from 'bun:test';
import type { Fit } from '../../server/contract/transforms.ts';
import { geometryOf } from './geometry.ts';

const CENTRE = { x: 0.5, y: 0.5 };
const LONGEST = 16_383;
type Case = [
  fit: Fit,
  source: [number, number],
  box: [number | null, number | null],
  resized: [number, number],
  made: [number, number],
];

/** Returns the size of the result. */
function resultSize({ resize, crop, pad }: ReturnType<typeof geometryOf>) {
  const { width, height } = crop ?? resize;
  return [width + (pad ? pad.left + pad.right : 0), height + (pad ? pad.top + pad.bottom : 0)] as [
    number,
    number,
  ];
}

const cases: Case[] = [
  ['scale-down', [1200, 800], [300, null], [300, 200], [300, 200]],
  ['scale-down', [1200, 800], [null, 200], [300, 200], [300, 200]],
  ['scale-down', [1200, 800], [300, 300], [300, 200], [300, 200]],
  ['scale-down', [1200, 800], [3000, 3000], [1200, 800], [1200, 800]],
  ['scale-down', [1200, 800], [null, null], [1200, 800], [1200, 800]],
  ['scale-down', [3, 4000], [1, null], [1, 1333], [1, 1333]],
  ['contain', [1200, 800], [300, 300], [300, 200], [300, 200]],
  ['contain', [120, 80], [300, 300], [300, 200], [300, 200]],
  ['contain', [120, 80], [300, null], [300, 200], [300, 200]],
  // This strip would become a thousand screens long.
  ['contain', [10, 1000], [4096, null], [41, 4096], [41, 4096]],
  ['contain', [10, 8000], [4096, null], [10, 8000], [10, 8000]],
  ['cover', [1200, 800], [300, 300], [450, 300], [300, 300]],
  ['cover', [120, 80], [300, 300], [450, 300], [300, 300]],
  ['cover', [1199, 801], [333, 333], [498, 333], [333, 333]],
  ['crop', [1200, 800], [300, 300], [450, 300], [300, 300]],
  ['crop', [120, 80], [300, 300], [120, 80], [120, 80]],
  ['crop', [120, 800], [300, 300], [120, 800], [120, 300]],
  ['pad', [1200, 800], [300, 300], [300, 200], [300, 300]],
  ['pad', [120, 80], [300, 300], [300, 200], [300, 300]],
  ['pad', [80, 121], [301, 300], [198, 300], [301, 300]],
  // A WebP can't be that long.
  ['scale-down', [1000, 20_000], [900, null], [819, 16_383], [819, 16_383]],
];

for (const [fit, [width, height], [boxWidth, boxHeight], resized, expected] of cases) {
  test(`${fit}: ${width}x${height} in ${boxWidth}x${boxHeight} makes ${expected.join('x')}`, () => {
    const box = { fit, width: boxWidth, height: boxHeight, gravity: CENTRE };
    const geometry = geometryOf({ width, height }, box, LONGEST);
    expect([geometry.resize.width, geometry.resize.height]).toEqual(resized);
    expect(resultSize(geometry)).toEqual(expected);
  });
}

describe('what is cut off', () => {
  const cropAt = (x: number, y: number) =>
    geometryOf(
      { width: 1200, height: 800 },
      { fit: 'cover', width: 300, height: 300, gravity: { x, y } },
      LONGEST,
    ).crop;

  test.each([
    [0, 0.5, 0],
    [0.5, 0.5, 75],
    [1, 0.5, 150],
    [0.2, 1, 30],
  ])('with the point %px%p starts at %p', (x, y, left) => {
    expect(cropAt(x, y)).toEqual({ left, top: 0, width: 300, height: 300 });
  });

  test('is nothing where the shapes are the same', () => {
    const box = { fit: 'cover' as const, width: 300, height: 200, gravity: CENTRE };
    expect(geometryOf({ width: 1200, height: 800 }, box, LONGEST).crop).toBeNull();
  });

  test('never lies outside, whatever the sizes', () => {
    for (let seed = 1; seed <= 3000; seed += 1) {
      const random = (max: number) => 1 + ((seed * 7919 + max * 104_729 * (seed % 13)) % max);
      const source = { width: random(5000), height: random(4999) };
      const box = { width: random(4096), height: random(4095), gravity: { x: 1, y: 1 } };
      for (const fit of ['cover', 'crop', 'pad', 'contain', 'scale-down'] as const) {
        const { resize, crop, pad } = geometryOf(source, { ...box, fit }, LONGEST);
        const part = crop ?? { left: 0, top: 0, ...resize };
        expect(part.left + part.width).toBeLessThanOrEqual(resize.width);
        expect(part.top + part.height).toBeLessThanOrEqual(resize.height);
        expect(Math.min(part.left, part.top, pad?.left ?? 0, pad?.top ?? 0)).toBe(0);
        if (fit === 'cover' || fit === 'pad') {
          expect(resultSize({ resize, crop, pad })).toEqual([box.width, box.height]);
        } else {
          expect(part.width).toBeLessThanOrEqual(Math.max(box.width, 1));
          expect(part.height).toBeLessThanOrEqual(Math.max(box.height, 1));
        }
      }
    }
  });
});
