import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { scratch } from '../../testing/clips.ts';
import { heic } from '../../testing/heic.ts';
import { picture, pixels } from '../../testing/pictures.ts';
import { makeImage } from '../image.ts';
import { sharp } from '../sharp.ts';

const folder = scratch();
afterAll(folder.remove);

async function make(bytes: Uint8Array) {
  const out = mkdtempSync(join(folder.path, 'out-'));
  const source = join(out, 'source');
  await Bun.write(source, bytes);
  const path = join(out, 'result');
  const image = await makeImage({ source, path, webp: false });
  return { ...image, bytes: Buffer.from(await Bun.file(path).bytes()) };
}

/** HEVC halves the resolution of the colours, of which `picture()` has many. */
const SIMILAR = 16;

/** Returns the mean difference of all channels, of 255. */
async function difference(one: Uint8Array, other: Uint8Array) {
  const [before, after] = await Promise.all([pixels(one), pixels(other)]);
  expect(after.length).toBe(before.length);
  return (
    before.reduce((sum, byte, at) => sum + Math.abs(byte - (after[at] ?? 0)), 0) / before.length
  );
}

test('a HEIC photo is delivered as WebP, and its original is worth keeping', async () => {
  const image = await make(await heic());
  expect(image).toMatchObject({ ending: 'webp', width: 64, height: 48, isConverted: true });
  expect(await difference(image.bytes, await picture(64, 48).png().toBuffer())).toBeLessThan(
    SIMILAR,
  );
});

test('it is turned upright', async () => {
  const image = await make(await heic({ turns: 1 }));
  expect(image).toMatchObject({ width: 48, height: 64 });
  const upright = await picture(64, 48).rotate(-90).png().toBuffer();
  expect(await difference(image.bytes, upright)).toBeLessThan(SIMILAR);
});

const tiles = { across: 3, down: 2 };
const smooth = (width: number, height: number) => picture(8, 8).resize(width, height);

test('tiles are put together, and what they have beyond the edges is left out', async () => {
  const photo = { image: smooth(150, 90), width: 150, height: 90, tiles, turns: 3 };
  const image = await make(await heic(photo));
  expect(image).toMatchObject({ width: 90, height: 150 });
  expect(image.warning).toBeUndefined();
  const upright = await sharp(await smooth(150, 90).png().toBuffer())
    .rotate(90)
    .png()
    .toBuffer();
  expect(await difference(image.bytes, upright)).toBeLessThan(SIMILAR);
});

test.each([{}, { tiles }])('a part is cut out before it is turned (%j)', async (made) => {
  const crop = { width: 40, height: 64 };
  const photo = { image: smooth(96, 96), width: 96, height: 96, crop, turns: 1, ...made };
  const image = await make(await heic(photo));
  expect(image).toMatchObject({ width: 64, height: 40 });
  const whole = await smooth(96, 96).png().toBuffer();
  const part = await sharp(whole)
    .extract({ left: 28, top: 16, ...crop })
    .png()
    .toBuffer();
  const upright = await sharp(part).rotate(-90).png().toBuffer();
  expect(await difference(image.bytes, upright)).toBeLessThan(SIMILAR);
});

test('colours of a profile are those of sRGB afterwards', async () => {
  const red = { width: 64, height: 48, channels: 3, background: '#ff0000' } as const;
  const image = await make(await heic({ image: sharp({ create: red }), isWide: true }));
  expect((await sharp(image.bytes).metadata()).icc).toBeUndefined();
  // In Display P3 it is stored as 234, 51, 35.
  const [r = 0, g = 255, b = 255] = await pixels(image.bytes);
  expect({ r: r > 245, g: g < 15, b: b < 15 }).toEqual({ r: true, g: true, b: true });
});

test('several after each other each get their own pixels', async () => {
  for (const width of [64, 96, 64]) {
    expect(await make(await heic({ width }))).toMatchObject({ width, height: 48 });
  }
});

test('one that ends early, and one of too many pixels, are refused for good', async () => {
  const whole = await heic();
  const refused = { name: 'MediaFailure', retry: 'never' };
  for (const length of [20, 300, whole.length - 40]) {
    const cut = make(whole.subarray(0, length));
    await expect(cut).rejects.toMatchObject(refused);
  }
  const huge = make(await heic({ declared: { width: 20_000, height: 14_000 } }));
  await expect(huge).rejects.toMatchObject(refused);
  await expect(huge).rejects.toThrow('has 280 megapixels');
});

const plain = (background: string, side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background } });
const grey = { image: plain('#808080', 128), width: 128, height: 128, slices: 4 };
/** Returns the brightest channel of each row. */
async function brightness(image: Uint8Array): Promise<number[]> {
  const row = 128 * 3;
  const bytes = await pixels(image);
  return Array.from({ length: 128 }, (_, y) => Math.max(...bytes.subarray(y * row, (y + 1) * row)));
}

test('slices that a file lacks are black, and the image is called damaged', async () => {
  const image = await make(await heic({ ...grey, isMissing: (slice) => slice % 2 === 1 }));
  expect(image.warning).toBe('damaged');
  const rows = await brightness(image.bytes);
  expect([16, 48, 80, 112].map((y) => (rows[y] ?? 0) > 100)).toEqual([true, false, true, false]);
});

test('so are those of a tile, where the one before it was decoded', async () => {
  const isMissing = (slice: number, item: number) => item > 0 && slice % 2 === 1;
  const image = await make(await heic({ ...grey, tiles: { across: 1, down: 2 }, isMissing }));
  expect(image.warning).toBe('damaged');
  const rows = await brightness(image.bytes);
  const all = [8, 24, 40, 56, 72, 88, 104, 120].map((y) => (rows[y] ?? 0) > 100);
  expect(all).toEqual([true, true, true, true, true, false, true, false]);
});

test('of a file that ends early the tiles that it has are shown', async () => {
  const whole = await heic({ ...grey, image: picture(128, 128), tiles: { across: 1, down: 4 } });
  const image = await make(whole.subarray(0, whole.length * 0.8));
  expect(image.warning).toBe('damaged');
  const rows = await brightness(image.bytes);
  expect(rows[10]).toBeGreaterThan(100);
  expect(rows[120]).toBeLessThan(10);
});

test('one without any slice is refused for good', async () => {
  for (const made of [{}, { tiles }]) {
    const photo = { ...grey, ...made, isMissing: () => true };
    const refused = { name: 'MediaFailure', retry: 'never' };
    await expect(make(await heic(photo))).rejects.toMatchObject(refused);
  }
});

test('a picture in pure green is whole', async () => {
  const image = await make(await heic({ image: plain('#00ff00', 64), width: 64, height: 64 }));
  expect((await pixels(image.bytes))[1]).toBeGreaterThan(240);
  expect(image.warning).toBeUndefined();
});

test('colours declared without a profile are converted', async () => {
  const create = { width: 64, height: 48, channels: 3 as const, background: '#eb3223' };
  const image = await make(await heic({ image: sharp({ create }), codePoints: [12, 13] }));
  const [red = 0, green = 255, blue = 255] = await pixels(image.bytes);
  expect({ isRed: red > 250, isPure: Math.max(green, blue) < 12 }).toEqual({
    ...{ isRed: true, isPure: true },
  });
});

test('a part of a photo is shown, however much is cut off', async () => {
  const image = smooth(400, 300);
  const photo = { image, width: 400, height: 300 };
  for (const [width, height, turns] of [
    [100, 60, 0],
    [396, 298, 1],
    [80, 300, 3],
  ] as const) {
    const made = await make(await heic({ ...photo, crop: { width, height }, turns }));
    const isUpright = turns === 0;
    expect(made).toMatchObject(isUpright ? { width, height } : { width: height, height: width });
    const part = { left: (400 - width) / 2, top: (300 - height) / 2, width, height };
    const cut = await sharp(await image.png().toBuffer())
      .extract(part)
      .png()
      .toBuffer();
    const upright = await sharp(cut)
      .rotate(-90 * turns)
      .png()
      .toBuffer();
    expect(await difference(made.bytes, upright)).toBeLessThan(SIMILAR);
  }
});
