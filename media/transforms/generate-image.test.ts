import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Transform } from '../../server/contract/transforms.ts';
import { sharp } from '../image/sharp.ts';
import {
  BLACK,
  BLUE,
  colourAt,
  corners,
  deriving,
  GREEN,
  quarters,
  RED,
  UPRIGHT,
  WHITE,
} from './testing/deriving.ts';

const { folder, put, derive, source } = await deriving();

describe('fitting', () => {
  test.each([
    ['scale-down', 60, 60, [60, 40], UPRIGHT],
    ['scale-down', 600, 600, [240, 160], UPRIGHT],
    ['contain', 600, 600, [600, 400], UPRIGHT],
    ['cover', 100, 100, [100, 100], UPRIGHT],
    ['cover', 600, 600, [600, 600], UPRIGHT],
    ['crop', 100, 100, [100, 100], UPRIGHT],
    ['crop', 600, 100, [240, 100], UPRIGHT],
    ['pad', 120, 160, [120, 160], [WHITE, WHITE, WHITE, WHITE]],
  ] as const)('%s in %dx%d', async (fit, width, height, size, visible) => {
    const { image, path } = await derive(source, { fit, width, height });
    const metadata = await sharp(path).metadata();
    expect([metadata.width, metadata.height]).toEqual([...size]);
    expect([image.width, image.height]).toEqual([...size]);
    expect(await corners(path)).toEqual([...visible]);
  });

  test('pads with the background asked for, and leaves the image in the middle', async () => {
    const black = {
      width: 120,
      height: 160,
      background: [0, 0, 0, 255] as Transform['background'],
    };
    const { path } = await derive(source, { fit: 'pad', ...black });
    expect(await corners(path)).toEqual([BLACK, BLACK, BLACK, BLACK]);
    expect(await colourAt(path, 10, 45)).toBe(RED);
    expect(await colourAt(path, 110, 115)).toBe(WHITE);
  });

  test.each([
    [0, 0.5, [RED, RED, BLUE, BLUE]],
    [1, 0.5, [GREEN, GREEN, WHITE, WHITE]],
    [0.5, 0.5, UPRIGHT],
  ])('keeps the part at %px%p', async (x, y, visible) => {
    const { path } = await derive(source, {
      fit: 'cover',
      width: 40,
      height: 80,
      gravity: { x, y },
    });
    expect(await corners(path)).toEqual(visible);
  });

  test('finds by itself what there is to see', async () => {
    const canvas = {
      create: { width: 600, height: 100, channels: 3 as const, background: '#777' },
    };
    const detail = await quarters(60, 60).png().toBuffer();
    const lopsided = sharp(canvas).composite([{ input: detail, left: 520, top: 20 }]);
    const { path } = await derive(await put(await lopsided.png().toBuffer()), {
      ...{ fit: 'cover', width: 100, height: 100, gravity: 'auto' },
    });
    const { channels } = await sharp(path).stats();
    expect(Math.max(...channels.map(({ stdev }) => stdev))).toBeGreaterThan(30);
  });

  test('a strip is filled into a square without its whole height being made', async () => {
    const strip = sharp({ create: { width: 4, height: 9000, channels: 3, background: RED } });
    const wide = { fit: 'cover', width: 4096, height: 4096, format: 'jpeg' } as const;
    const { image } = await derive(await put(await strip.png().toBuffer()), wide);
    expect([image.width, image.height]).toEqual([4096, 4096]);
  });
});

describe('turning', () => {
  const TURNED = {
    0: UPRIGHT,
    90: [BLUE, RED, WHITE, GREEN],
    180: [WHITE, BLUE, GREEN, RED],
    270: [GREEN, WHITE, RED, BLUE],
  };

  for (const rotate of [90, 180, 270] as const) {
    test(`by ${rotate}: sides are meant after it`, async () => {
      const { path } = await derive(source, { rotate, width: 80, height: 80 });
      const { width, height } = await sharp(path).metadata();
      expect([width, height]).toEqual(rotate === 180 ? [80, 53] : [53, 80]);
      expect(await corners(path)).toEqual(TURNED[rotate]);
    });

    test(`by ${rotate}, cut, and by what there is to see`, async () => {
      for (const gravity of [{ x: 0, y: 0 }, 'auto'] as const) {
        const { path } = await derive(source, {
          rotate,
          fit: 'cover',
          width: 50,
          height: 90,
          gravity,
        });
        const { width, height } = await sharp(path).metadata();
        expect([width, height]).toEqual([50, 90]);
      }
    });
  }

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('EXIF orientation %d is applied', async (orientation) => {
    const upright = quarters(240, 160);
    const back = await sharp(await upright.png().toBuffer())
      .rotate([0, 0, 0, 180, 180, 270, 270, 90, 90][orientation])
      .flop([2, 4, 5, 7].includes(orientation))
      .jpeg({ quality: 95 })
      .withMetadata({ orientation })
      .toBuffer();
    const { path } = await derive(await put(back), { width: 120, format: 'jpeg' });
    const metadata = await sharp(path).metadata();
    expect(metadata.orientation).toBeUndefined();
    expect((await corners(path)).length).toBe(4);
    const visible = await sharp(back).autoOrient().resize(120).png().toBuffer();
    const expected = join(folder.path, `expected-${orientation}`);
    await Bun.write(expected, visible);
    expect([metadata.width, metadata.height]).toEqual(
      await sharp(expected)
        .metadata()
        .then(({ width, height }) => [width, height]),
    );
    expect(await corners(path)).toEqual(await corners(expected));
  });
});
