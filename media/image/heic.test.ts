import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { scratch } from '../testing/clips.ts';
import { heic } from '../testing/heic.ts';
import { picture, pixels } from '../testing/pictures.ts';
import { makeImage } from './image.ts';
import { sharp } from './sharp.ts';

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
