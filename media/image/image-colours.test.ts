import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { thumbHashToAverageRGBA, thumbHashToRGBA } from 'thumbhash';
import { scratch } from '../testing/clips.ts';
import { pixels } from '../testing/pictures.ts';
import { makeImage } from './image.ts';
import { sharp } from './sharp.ts';

const folder = scratch();
afterAll(folder.remove);

async function make(bytes: Uint8Array | string, webp = true) {
  const out = mkdtempSync(join(folder.path, 'out-'));
  const source = join(out, 'source');
  await Bun.write(source, bytes);
  const path = join(out, 'result');
  const image = await makeImage({ source, path, webp });
  return { ...image, bytes: Buffer.from(await Bun.file(path).bytes()) };
}

/** Returns an image large enough that a WebP of it is smaller than the original. */
const patch = (background: string | { r: number; g: number; b: number }) =>
  sharp({ create: { width: 400, height: 300, channels: 3, background } });
/** Returns an image with another colour in each corner and the grain of a photo. */
function photo() {
  const raw = Buffer.alloc(400 * 300 * 3);
  for (let at = 0, grain = 1; at < 400 * 300; at += 1) {
    grain = (grain * 48_271) % 2_147_483_647;
    const light = 20 + (grain % 16);
    const [x, y] = [(at % 400) / 2, Math.floor(at / 400) / 2];
    raw.set([light + x, light + y, light + 60], at * 3);
  }
  return sharp(raw, { raw: { width: 400, height: 300, channels: 3 } });
}

async function colour(image: Uint8Array): Promise<number[]> {
  const { channels } = await sharp(image).stats();
  return channels.slice(0, 3).map(({ mean }) => Math.round(mean));
}

function expectNear(got: number[], expected: number[], tolerance: number) {
  const far = expected.some((value, at) => Math.abs(value - (got[at] ?? -999)) > tolerance);
  if (far) throw new Error(`${got} is not near ${expected}`);
}

/** Returns the mean distance of the bytes of two images. */
async function distance(a: Uint8Array, b: Uint8Array): Promise<number> {
  const [one, two] = await Promise.all(
    [a, b].map((image) =>
      sharp(image).autoOrient().removeAlpha().toColourspace('srgb').raw().toBuffer(),
    ),
  );
  if (!one || !two || one.length !== two.length) throw new Error('The sizes differ.');
  return one.reduce((sum, byte, at) => sum + Math.abs(byte - (two[at] ?? 0)), 0) / one.length;
}

describe('as WebP, colours look the same', () => {
  test('of another RGB profile', async () => {
    // In Display P3 the same numbers mean a stronger green than sRGB can show.
    const p3 = await patch('#204080')
      .withIccProfile('p3', { attach: true })
      .jpeg({ quality: 98 })
      .toBuffer();
    const raw = await colour(await sharp(p3, { ignoreIcc: true }).png().toBuffer());
    const image = await make(p3);
    expect(image.ending).toBe('webp');
    expectNear(await colour(image.bytes), [0x20, 0x40, 0x80], 3);
    expect(raw).not.toEqual(await colour(image.bytes));
    expect((await sharp(image.bytes).metadata()).icc).toBeUndefined();
  });

  test('of CMYK', async () => {
    const cmyk = await patch('#a06060').toColourspace('cmyk').jpeg({ quality: 98 }).toBuffer();
    expect((await sharp(cmyk).metadata()).space).toBe('cmyk');
    const image = await make(cmyk);
    expect(await sharp(image.bytes).metadata()).toMatchObject({ space: 'srgb', channels: 3 });
    expectNear(await colour(image.bytes), [0xa0, 0x60, 0x60], 6);
  });

  test('of 16 bits a channel', async () => {
    const deep = await photo().toColourspace('rgb16').png().toBuffer();
    expect((await sharp(deep).metadata()).depth).toBe('ushort');
    const image = await make(deep);
    expect(await sharp(image.bytes).metadata()).toMatchObject({ depth: 'uchar', space: 'srgb' });
    expect(await distance(deep, image.bytes)).toBeLessThan(6);
  });

  test('of a palette with a transparent colour', async () => {
    const half = Buffer.alloc(400 * 300 * 4);
    for (let at = 0; at < 400 * 300; at += 1)
      half.set(at % 400 < 200 ? [200, 30, 60, 255] : [0, 0, 0, 0], at * 4);
    const raw = { width: 400, height: 300, channels: 4 as const };
    const indexed = await sharp(half, { raw })
      .png({ palette: true, colours: 4, compressionLevel: 0 })
      .toBuffer();
    expect((await sharp(indexed).metadata()).isPalette).toBe(true);
    const image = await make(indexed);
    expect(image.ending).toBe('webp');
    const rgba = await sharp(image.bytes).ensureAlpha().raw().toBuffer();
    expectNear([...rgba.subarray(150 * 1600 + 400, 150 * 1600 + 404)], [200, 30, 60, 255], 8);
    expect(rgba[150 * 1600 + 1203]).toBe(0);
  });

  test('of grey', async () => {
    const grey = await photo().greyscale().png().toBuffer();
    const image = await make(grey);
    expect(await distance(grey, image.bytes)).toBeLessThan(6);
  });
});

describe('turned by EXIF', () => {
  /** This is how a camera stores the upright picture, which the viewer turns back. */
  const upright = photo().png().toBuffer();
  const stored: Record<number, (image: ReturnType<typeof sharp>) => ReturnType<typeof sharp>> = {
    1: (image) => image,
    2: (image) => image.flop(),
    3: (image) => image.rotate(180),
    4: (image) => image.flip(),
    5: (image) => image.rotate(270).flop(),
    6: (image) => image.rotate(270),
    7: (image) => image.rotate(90).flop(),
    8: (image) => image.rotate(90),
  };
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('%d', async (orientation) => {
    const turn = stored[orientation];
    const turned = await turn?.(sharp(await upright))
      .png()
      .toBuffer();
    const jpeg = await sharp(turned).withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
    for (const webp of [true, false]) {
      const image = await make(jpeg, webp);
      expect(image).toMatchObject({ width: 400, height: 300 });
      expect(await distance(await upright, image.bytes)).toBeLessThan(6);
    }
  });
});

describe('a WebP that would be larger', () => {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 };
  const create = { width: 400, height: 300, channels: 3 as const, background: '#456', noise };
  /** A WebP at our quality spends bytes on details that this JPEG has left out. */
  const small = () => sharp({ create }).jpeg({ quality: 20 });

  test('is dropped for the original, cleaned, and the result says so', async () => {
    const original = await small()
      .withExif({ IFD0: { Artist: 'Secret Author' } })
      .toBuffer();
    const image = await make(original);
    expect(image).toMatchObject({ ending: 'jpg', kept: 'original', width: 400, height: 300 });
    expect(image.bytes.length).toBeLessThanOrEqual(original.length);
    expect(image.bytes.includes('Secret Author')).toBe(false);
    expect((await pixels(image.bytes)).equals(await pixels(original))).toBe(true);
  });

  test('of an animation as well', async () => {
    const dots = await Promise.all(
      ['#000', '#fff'].map((background) =>
        sharp({ create: { width: 8, height: 8, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const original = await sharp(dots, { join: { animated: true } })
      .gif({ delay: [50, 50] })
      .toBuffer();
    const image = await make(original);
    expect(image).toMatchObject({ ending: 'gif', kept: 'original', duration: 100 });
  });

  test('is not what is said of a smaller one', async () => {
    const original = await photo().png().toBuffer();
    const image = await make(original);
    expect(image.kept).toBeUndefined();
    expect(image.bytes.length).toBeLessThan(original.length);
  });

  test('a broken original is not kept unseen', async () => {
    const full = await small().toBuffer();
    expect(await make(full.subarray(0, full.length - 60))).toHaveProperty('warning', 'damaged');
  });
});

describe('the ThumbHash', () => {
  const decode = ({ thumbHash }: { thumbHash: string }) => Buffer.from(thumbHash, 'base64');

  test('is of the picture as it is seen', async () => {
    const red = { width: 90, height: 120, channels: 3 as const, background: '#ff0000' };
    const image = sharp({ create: { ...red, background: '#0000ff' } })
      .composite([{ input: { create: { ...red, height: 60 } }, top: 0, left: 0 }])
      .png();
    const turned = await sharp(await image.toBuffer())
      .rotate(270)
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    for (const webp of [true, false]) {
      const { w, h, rgba } = thumbHashToRGBA(decode(await make(turned, webp)));
      expect(h).toBeGreaterThan(w);
      expect(rgba[0]).toBeGreaterThan(150);
      expect(rgba[rgba.length - 2]).toBeGreaterThan(150);
    }
  });

  test('knows transparency', async () => {
    const clear = await sharp({
      create: { width: 50, height: 50, channels: 4, background: { r: 0, g: 200, b: 0, alpha: 0 } },
    })
      .png()
      .toBuffer();
    expect(thumbHashToAverageRGBA(decode(await make(clear))).a).toBeLessThan(0.1);
  });

  test.each([true, false])('is made of every kind (WebP: %p)', async (webp) => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="#00f"/></svg>';
    const blue = { r: 0, g: 0, b: 255 };
    const kinds = [
      svg,
      await patch(blue).gif().toBuffer(),
      await patch(blue).webp().toBuffer(),
      await patch(blue).toColourspace('rgb16').png().toBuffer(),
      await patch(blue).toColourspace('cmyk').jpeg().toBuffer(),
    ];
    for (const kind of kinds) {
      const { r, g, b } = thumbHashToAverageRGBA(decode(await make(kind, webp)));
      expect(b).toBeGreaterThan(r + 0.2);
      expect(b).toBeGreaterThan(g + 0.2);
    }
  });
});
