import { describe, expect, test } from 'bun:test';
import { DERIVED_FORMATS } from '../../server/contract/transforms.ts';
import { generateOnce } from '../../tests/support/fixtures/generate-once.ts';
import { sharp } from '../image/sharp.ts';
import { animation, SECRETS, telltale } from '../testing/pictures.ts';
import { plainMetadata } from '../testing/plain-sharp.ts';
import { avifQuality } from './encoders.ts';
import { colourAt, deriving, quarters, RED, WHITE } from './testing/deriving.ts';

const { put, derive, source } = await deriving();

describe.each([...DERIVED_FORMATS])('as %s', (format) => {
  test('says nothing of who took it where, and is in sRGB', async () => {
    const telling = await put(await telltale(6, 90, 60).jpeg().toBuffer());
    const { bytes, path, image } = await derive(telling, { format, width: 40 });
    expect(image).toMatchObject({
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
    const transparent = await derive(clear, { format: 'webp', width: 20 });
    expect((await sharp(transparent.path).stats()).isOpaque).toBe(false);
    const filled = await derive(clear, { format: 'jpeg', width: 20 });
    expect(await colourAt(filled.path, 5, 5)).toBe(WHITE);
  });

  test('is filled with the background asked for', async () => {
    const flattened = await derive(await half(), { format: 'webp', background: [255, 0, 0, 255] });
    expect(await colourAt(flattened.path, 5, 5)).toBe(RED);
    expect((await sharp(flattened.path).stats()).isOpaque).toBe(true);
  });

  test('pads with nothing where that is asked for', async () => {
    const derived = await derive(source, {
      ...{ fit: 'pad', width: 100, height: 200, format: 'webp', background: [0, 0, 0, 0] },
    });
    expect((await sharp(derived.path).stats()).isOpaque).toBe(false);
    expect(await sharp(derived.path).metadata()).toMatchObject({ width: 100, height: 200 });
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

  test('that need a browser are refused with the reason', async () => {
    const modern = await put(
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect fill="oklch(1 0 0)"/></svg>',
    );
    const refused = derive(modern, { format: 'png' });
    await expect(refused).rejects.toThrow('features that only browsers can draw');
    await expect(refused).rejects.toMatchObject({ retry: 'never' });
  });

  test('cannot ask for more pixels than there is memory for', async () => {
    const vast = await put(
      '<svg xmlns="http://www.w3.org/2000/svg" width="200000" height="100000"/>',
    );
    const { image } = await derive(vast, { format: 'png' });
    expect(Math.max(image.width, image.height)).toBeLessThanOrEqual(4096);
  });
});

describe('animations', () => {
  const moving = async () => put(await (await animation()).toBuffer());

  test.each(['webp', 'gif'] as const)('stay animations in %s', async (format) => {
    const { path, image } = await derive(await moving(), { format, width: 12 });
    const metadata = await sharp(path, { animated: true }).metadata();
    expect([metadata.width, metadata.pageHeight, metadata.pages]).toEqual([12, 8, 3]);
    expect(metadata.delay).toEqual([100, 200, 300]);
    expect(image).toMatchObject({ width: 12, height: 8, duration: 600 });
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
    const { bytes, image } = await derive(await moving(), { format, ...more });
    expect(image.duration).toBeNull();
    expect(bytes.includes('ANIM') || bytes.includes('avis')).toBe(false);
  });

  test('that would take too long become their first frame', async () => {
    const large = await generateOnce('animation.gif', '30 quarters, 1600x1200', async (path) => {
      const frames = Array.from({ length: 30 }, (_, at) =>
        quarters(1600, 1200)
          .tint(`#${at % 9}87`)
          .png(),
      );
      const images = await Promise.all(frames.map((frame) => frame.toBuffer()));
      await sharp(images, { join: { animated: true } })
        .gif({ effort: 1 })
        .toFile(path);
    });
    const { image } = await derive(await put(await Bun.file(large).bytes()), {
      format: 'webp',
      width: 1500,
    });
    expect(image).toMatchObject({ width: 1500, duration: null });
  });
});

test('blur and sharpen change the picture, and nothing else', async () => {
  const unchanged = await derive(source, { width: 120 });
  for (const effect of [{ blur: 10 }, { sharpen: 5 }]) {
    const derived = await derive(source, { width: 120, ...effect });
    expect(derived.image).toEqual(unchanged.image);
    expect(derived.bytes.equals(unchanged.bytes)).toBe(false);
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
  const qualities = Array.from({ length: 100 }, (_, at) => avifQuality(at + 1));
  expect(qualities.toSorted((a, b) => a - b)).toEqual(qualities);
  expect([qualities[0], qualities[79], qualities[99]]).toEqual([1, 50, 100]);
});

test('what is no image is refused for good', async () => {
  await expect(derive(await put('no image'), { width: 10 })).rejects.toMatchObject({
    retry: 'never',
  });
});
