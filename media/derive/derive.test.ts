import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { DERIVED_FORMATS, type Transform } from '../../server/contract/transforms.ts';
import { sharp } from '../sharp.ts';
import { scratch } from '../testing/clips.ts';
import { animation, SECRETS, telltale } from '../testing/pictures.ts';
import { plainMetadata } from '../testing/plain-sharp.ts';
import { makeDerivative } from './derive.ts';
import { avifQuality } from './encoders.ts';

const folder = scratch();
afterAll(folder.remove);

const NOTHING: Transform = {
  width: null,
  height: null,
  fit: 'scale-down',
  gravity: { x: 0.5, y: 0.5 },
  format: 'png',
  quality: null,
  blur: 0,
  sharpen: 0,
  rotate: 0,
  background: null,
};
const RED = '#f00';
const GREEN = '#0f0';
const BLUE = '#00f';
const WHITE = '#fff';
const BLACK = '#000';
let count = 0;

/** Red and green above blue and white, each a quarter. */
function quarters(width = 240, height = 160) {
  const part = (input: string, left: number, top: number) => ({
    input: {
      create: { width: width / 2, height: height / 2, channels: 3 as const, background: input },
    },
    left,
    top,
  });
  return sharp({ create: { width, height, channels: 3, background: BLACK } }).composite([
    part(RED, 0, 0),
    part(GREEN, width / 2, 0),
    part(BLUE, 0, height / 2),
    part(WHITE, width / 2, height / 2),
  ]);
}

async function put(bytes: Uint8Array | string): Promise<string> {
  count += 1;
  const path = join(folder.path, `source-${count}`);
  await Bun.write(path, bytes);
  return path;
}

async function derive(source: string, transform: Partial<Transform>) {
  count += 1;
  const path = join(folder.path, `made-${count}`);
  const made = await makeDerivative(source, path, { ...NOTHING, ...transform });
  return { made, path, bytes: Buffer.from(await Bun.file(path).arrayBuffer()) };
}

/** The colour at a point, as the nearest of ours. */
async function colourAt(path: string, x: number, y: number): Promise<string> {
  const { data, info } = await sharp(path)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at =
    (Math.min(info.height - 1, y) * info.width + Math.min(info.width - 1, x)) * info.channels;
  return `#${[0, 1, 2].map((channel) => ((data[at + channel] ?? 0) > 127 ? 'f' : '0')).join('')}`;
}

async function corners(path: string) {
  const { width, height } = await sharp(path).metadata();
  const points = [
    [2, 2],
    [width - 3, 2],
    [2, height - 3],
    [width - 3, height - 3],
  ] as const;
  return Promise.all(points.map(([x, y]) => colourAt(path, x, y)));
}

const source = await put(await quarters().png().toBuffer());
const UPRIGHT = [RED, GREEN, BLUE, WHITE];

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
  ] as const)('%s in %dx%d', async (fit, width, height, size, seen) => {
    const { made, path } = await derive(source, { fit, width, height });
    const metadata = await sharp(path).metadata();
    expect([metadata.width, metadata.height]).toEqual([...size]);
    expect([made.width, made.height]).toEqual([...size]);
    expect(await corners(path)).toEqual([...seen]);
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
  ])('keeps the part at %px%p', async (x, y, seen) => {
    const { path } = await derive(source, {
      fit: 'cover',
      width: 40,
      height: 80,
      gravity: { x, y },
    });
    expect(await corners(path)).toEqual(seen);
  });

  test('finds by itself what there is to see', async () => {
    const plain = { create: { width: 600, height: 100, channels: 3 as const, background: '#777' } };
    const detail = await quarters(60, 60).png().toBuffer();
    const lopsided = sharp(plain).composite([{ input: detail, left: 520, top: 20 }]);
    const { path } = await derive(await put(await lopsided.png().toBuffer()), {
      ...{ fit: 'cover', width: 100, height: 100, gravity: 'auto' },
    });
    const { channels } = await sharp(path).stats();
    expect(Math.max(...channels.map(({ stdev }) => stdev))).toBeGreaterThan(30);
  });

  test('a strip is filled into a square without its whole height being made', async () => {
    const strip = sharp({ create: { width: 4, height: 9000, channels: 3, background: RED } });
    const wide = { fit: 'cover', width: 4096, height: 4096, format: 'jpeg' } as const;
    const { made } = await derive(await put(await strip.png().toBuffer()), wide);
    expect([made.width, made.height]).toEqual([4096, 4096]);
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
    const seen = await sharp(back).autoOrient().resize(120).png().toBuffer();
    const expected = join(folder.path, `expected-${orientation}`);
    await Bun.write(expected, seen);
    expect([metadata.width, metadata.height]).toEqual(
      await sharp(expected)
        .metadata()
        .then(({ width, height }) => [width, height]),
    );
    expect(await corners(path)).toEqual(await corners(expected));
  });
});

describe.each([...DERIVED_FORMATS])('as %s', (format) => {
  test('says nothing of who took it where, and is in sRGB', async () => {
    const telling = await put(await telltale(6, 90, 60).jpeg().toBuffer());
    const { bytes, path, made } = await derive(telling, { format, width: 40 });
    expect(made).toMatchObject({
      ending: format === 'jpeg' ? 'jpg' : format,
      width: 40,
      height: 60,
    });
    const { width, height, exif, xmp, iptc, icc, orientation = 1 } = await plainMetadata(path);
    expect([width, height, orientation]).toEqual([40, 60, 1]);
    expect([exif, xmp, iptc, icc]).toEqual(Array(4).fill(undefined));
    for (const secret of SECRETS) expect(bytes.includes(secret)).toBe(false);
  });

  test('the file is what its ending says', async () => {
    const { bytes } = await derive(source, { format, width: 40 });
    const head = bytes.toString('latin1', 0, 12);
    const marks = { avif: 'ftypavif', webp: 'WEBP', jpeg: '\xff\xd8\xff', png: 'PNG', gif: 'GIF8' };
    expect(head).toContain(marks[format]);
  });
});

describe('transparency', () => {
  const half = async () => {
    const clear = { r: 0, g: 0, b: 0, alpha: 0 };
    const image = sharp({ create: { width: 40, height: 40, channels: 4, background: clear } });
    return put(await image.png().toBuffer());
  };

  test('stays where the format knows it, and is white in a JPEG', async () => {
    const clear = await half();
    const kept = await derive(clear, { format: 'webp', width: 20 });
    expect((await sharp(kept.path).stats()).isOpaque).toBe(false);
    const filled = await derive(clear, { format: 'jpeg', width: 20 });
    expect(await colourAt(filled.path, 5, 5)).toBe(WHITE);
  });

  test('is filled with the background asked for', async () => {
    const made = await derive(await half(), { format: 'webp', background: [255, 0, 0, 255] });
    expect(await colourAt(made.path, 5, 5)).toBe(RED);
    expect((await sharp(made.path).stats()).isOpaque).toBe(true);
  });

  test('pads with nothing where that is asked for', async () => {
    const made = await derive(source, {
      ...{ fit: 'pad', width: 100, height: 200, format: 'webp', background: [0, 0, 0, 0] },
    });
    expect((await sharp(made.path).stats()).isOpaque).toBe(false);
    expect(await sharp(made.path).metadata()).toMatchObject({ width: 100, height: 200 });
  });
});

describe('drawings', () => {
  const drawing = put(
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><path d="M0 0h10v10H0z" fill="red"/></svg>',
  );

  test('are drawn sharp at the size asked for', async () => {
    const { path } = await derive(await drawing, { fit: 'contain', width: 1000 });
    expect(await sharp(path).metadata()).toMatchObject({ width: 1000, height: 500 });
    // An enlarged picture of 20 pixels would have a blurred edge of 50.
    const { data } = await sharp(path)
      .extract({ left: 495, top: 250, width: 10, height: 1 })
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([data[3], data[39]]).toEqual([255, 0]);
  });

  test('cannot ask for more pixels than there is memory for', async () => {
    const vast = await put(
      '<svg xmlns="http://www.w3.org/2000/svg" width="200000" height="100000"/>',
    );
    const { made } = await derive(vast, { format: 'png' });
    expect(Math.max(made.width, made.height)).toBeLessThanOrEqual(4096);
  });
});

describe('animations', () => {
  const moving = async () => put(await (await animation()).toBuffer());

  test.each(['webp', 'gif'] as const)('stay animations in %s', async (format) => {
    const { path, made } = await derive(await moving(), { format, width: 12 });
    const metadata = await sharp(path, { animated: true }).metadata();
    expect([metadata.width, metadata.pageHeight, metadata.pages]).toEqual([12, 8, 3]);
    expect(metadata.delay).toEqual([100, 200, 300]);
    expect(made).toMatchObject({ width: 12, height: 8, duration: 600 });
  });

  test('are cut and padded frame by frame', async () => {
    for (const fit of ['cover', 'pad'] as const) {
      const { path } = await derive(await moving(), { format: 'webp', fit, width: 10, height: 10 });
      const { width, pageHeight, pages } = await sharp(path, { animated: true }).metadata();
      expect([width, pageHeight, pages]).toEqual([10, 10, 3]);
    }
  });

  test.each([
    ['avif', {}],
    ['jpeg', {}],
    ['webp', { rotate: 90 }],
    ['webp', { blur: 2 }],
  ] as const)('become their first frame as %s with %p', async (format, more) => {
    const { bytes, made } = await derive(await moving(), { format, ...more });
    expect(made.duration).toBeNull();
    expect(bytes.includes('ANIM') || bytes.includes('avis')).toBe(false);
  });

  test('that would take too long become their first frame', async () => {
    const frames = Array.from({ length: 30 }, (_, at) =>
      quarters(1600, 1200)
        .tint(`#${at % 9}87`)
        .png(),
    );
    const images = await Promise.all(frames.map((frame) => frame.toBuffer()));
    const large = await sharp(images, { join: { animated: true } })
      .gif({ effort: 1 })
      .toBuffer();
    const { made } = await derive(await put(large), { format: 'webp', width: 1500 });
    expect(made).toMatchObject({ width: 1500, duration: null });
  }, 60_000);
});

test('blur and sharpen change the picture, and nothing else', async () => {
  const plain = await derive(source, { width: 120 });
  for (const effect of [{ blur: 10 }, { sharpen: 5 }]) {
    const made = await derive(source, { width: 120, ...effect });
    expect(made.made).toEqual(plain.made);
    expect(made.bytes.equals(plain.bytes)).toBe(false);
  }
});

test('a lower quality makes a smaller file', async () => {
  const photo = await put(await telltale(1, 400, 300).jpeg({ quality: 95 }).toBuffer());
  for (const format of ['avif', 'webp', 'jpeg'] as const) {
    const [low, high] = [20, 95].map((quality) => derive(photo, { format, quality }));
    expect((await low)?.bytes.length).toBeLessThan((await high)?.bytes.length ?? 0);
  }
});

test('qualities of AVIF rise with those asked for, up to the best', () => {
  const made = Array.from({ length: 100 }, (_, at) => avifQuality(at + 1));
  expect(made.toSorted((a, b) => a - b)).toEqual(made);
  expect([made[0], made[79], made[99]]).toEqual([1, 50, 100]);
});

test('what is no image is refused for good', async () => {
  await expect(derive(await put('no image'), { width: 10 })).rejects.toMatchObject({
    permanent: true,
  });
});
