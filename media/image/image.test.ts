import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Sharp } from 'sharp';
import { scratch } from '../testing/clips.ts';
import { animation, frames, picture, pixels, SECRETS, telltale } from '../testing/pictures.ts';
import { makeImage } from './image.ts';
import { sharp } from './sharp.ts';

const folder = scratch();
afterAll(folder.remove);

async function make(bytes: Uint8Array | string, webp: boolean) {
  const out = mkdtempSync(join(folder.path, 'out-'));
  const source = join(out, 'source');
  await Bun.write(source, bytes);
  const path = join(out, 'result');
  const image = await makeImage({ source, path, webp });
  return { ...image, bytes: Buffer.from(await Bun.file(path).bytes()) };
}

/** Returns a PNG without pixels, as the header alone decides. */
async function claiming(width: number, height: number) {
  const png = await picture(8, 8).png().toBuffer();
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
}

const encodings = {
  jpg: () => telltale(6).jpeg().toBuffer(),
  png: () => telltale(6).png().toBuffer(),
  webp: () => telltale(1, 32, 48).webp({ lossless: true }).toBuffer(),
};

describe.each(Object.entries(encodings))('%s', (name, encode) => {
  test('as the original: cleaned, named by its real type, measured upright', async () => {
    const original = await encode();
    const image = await make(original, false);
    expect(image).toMatchObject({ ending: name, width: 32, height: 48, duration: null });
    expect((await pixels(image.bytes)).equals(await pixels(original))).toBe(true);
    for (const secret of SECRETS) expect(image.bytes.includes(secret)).toBe(false);
  });

  test('as WebP: upright, in sRGB, without metadata, hardly changed', async () => {
    const original = await encode();
    const image = await make(original, true);
    expect(image).toMatchObject({ ending: 'webp', width: 32, height: 48, duration: null });
    const { format, orientation, exif, xmp, icc, space } = await sharp(image.bytes).metadata();
    expect({ format, space }).toEqual({ format: 'webp', space: 'srgb' });
    expect(orientation ?? exif ?? xmp ?? icc).toBeUndefined();
    const [before, after] = await Promise.all([pixels(original), pixels(image.bytes)]);
    const difference = before.reduce((sum, byte, at) => sum + Math.abs(byte - (after[at] ?? 0)), 0);
    expect(difference / before.length).toBeLessThan(12);
  });
});

describe('graphics', () => {
  /** Draws lines of sharp edges in few colours, as a screenshot has them. */
  const screenshot = () => {
    const raw = Buffer.alloc(400 * 300 * 3, 255);
    for (let at = 0; at < 400 * 300; at += 1)
      if (((at % 400) * 7 + Math.floor(at / 400) * 13) % 31 < 4) raw.set([20, 60, 160], at * 3);
    return sharp(raw, { raw: { width: 400, height: 300, channels: 3 } }).png();
  };

  test('become a lossless WebP where it is smaller', async () => {
    const original = await screenshot().toBuffer();
    const image = await make(original, true);
    expect(image.ending).toBe('webp');
    expect((await pixels(image.bytes)).equals(await pixels(original))).toBe(true);
    const lossy = await sharp(original).webp({ quality: 80 }).toBuffer();
    expect(image.bytes.length).toBeLessThan(lossy.length);
  });

  test('a photo is compressed as a photo', async () => {
    const original = await picture(400, 300).png().toBuffer();
    const image = await make(original, true);
    expect(image.bytes.includes('VP8 ')).toBe(true);
  });
});

describe('shown by browsers as nobody meant it', () => {
  const cmyk = () => picture(400, 300).toColourspace('cmyk').jpeg().toBuffer();
  const cases: [string, () => Promise<Buffer>, [number, number]][] = [
    ['a WebP whose orientation they ignore', () => telltale(6).webp().toBuffer(), [32, 48]],
    ['a CMYK JPEG without a profile', cmyk, [400, 300]],
  ];
  test.each(cases)('%s becomes an upright WebP in sRGB', async (_, encode, [width, height]) => {
    const original = await encode();
    for (const webp of [false, true]) {
      const image = await make(original, webp);
      expect(image).toMatchObject({ ending: 'webp', width, height, isConverted: true });
      const { orientation, exif, space, ...size } = await sharp(image.bytes).metadata();
      expect(orientation ?? exif).toBeUndefined();
      expect({ space, width: size.width }).toEqual({ space: 'srgb', width });
    }
  });

  test('an animated WebP keeps its frames, and loses an orientation that nobody applies', async () => {
    const moving = await (await animation()).webp().withMetadata({ orientation: 6 }).toBuffer();
    expect((await sharp(moving).metadata()).orientation).toBe(6);
    const image = await make(moving, false);
    expect(image).toMatchObject({ ending: 'webp', width: 24, height: 16, duration: 600 });
    expect((await sharp(image.bytes).metadata()).orientation).toBeUndefined();
  });
});

test.each(['jpeg', 'png'] as const)('a %s says that it declares an orientation', async (format) => {
  const [turned, upright] = await Promise.all(
    [6, 1].map(async (one) => make(await telltale(one).toFormat(format).toBuffer(), false)),
  );
  expect(turned).toHaveProperty('isTurned', true);
  expect(upright).not.toHaveProperty('isTurned');
});

test('an animated GIF becomes an animated WebP with its delays and loop', async () => {
  const original = await (await animation()).toBuffer();
  const image = await make(original, true);
  expect(image).toMatchObject({ ending: 'webp', width: 24, height: 16, duration: 600 });
  const metadata = await sharp(image.bytes).metadata();
  expect(metadata).toMatchObject({ format: 'webp', pages: 3, loop: 2, delay: [100, 200, 300] });
});

test('an animated GIF kept as it is stays animated', async () => {
  const original = await (await animation()).toBuffer();
  const image = await make(original, false);
  expect(image).toMatchObject({ ending: 'gif', width: 24, height: 16, duration: 600 });
  expect((await frames(image.bytes)).equals(await frames(original))).toBe(true);
});

test('an animated WebP stays animated', async () => {
  const original = await (await animation()).webp({ delay: [50, 60, 70], loop: 0 }).toBuffer();
  const image = await make(original, true);
  expect(await sharp(image.bytes).metadata()).toMatchObject({
    pages: 3,
    delay: [50, 60, 70],
    loop: 0,
  });
});

/** With this comment a drawing takes more bytes than a WebP of it. */
const COMMENT = `<!-- secret ${'x'.repeat(50_000)} -->`;
const svg = (width: number, height: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 10 10">${COMMENT}<rect width="5" height="10" fill="#f00"/></svg>`;

test('an SVG becomes a WebP of its own size', async () => {
  const image = await make(svg(60, 40), true);
  expect(image).toMatchObject({ ending: 'webp', width: 60, height: 40 });
  const middle = 20 * 60 + 25;
  const [red = 0, green = 255] = (await pixels(image.bytes)).subarray(middle * 4);
  expect({ isRed: red > 245, isGreen: green > 10 }).toEqual({ isRed: true, isGreen: false });
});

test('an SVG of absurd size is drawn at a sane one', async () => {
  const image = await make(svg(30_000, 15_000), true);
  expect(image).toMatchObject({ width: 4096, height: 2048 });
});

test('an SVG kept as it is loses its comments only', async () => {
  const image = await make(svg(60, 40), false);
  expect(image).toMatchObject({ ending: 'svg', width: 60, height: 40 });
  expect(image.bytes.toString()).toBe(svg(60, 40).replace(COMMENT, ''));
});

describe('an SVG that only browsers can draw', () => {
  const styled = (css: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><!-- ${'x'.repeat(5000)} --><style>${css}</style><rect class="a" width="60" height="40"/></svg>`;

  test('is delivered as SVG, and the result says why', async () => {
    const kept = { ending: 'svg', width: 60, height: 40, kept: 'original' };
    const variable = styled(':root{--c:red}.a{fill:var(--c)}');
    expect(await make(variable, true)).toMatchObject({ ...kept, warning: 'svg-undrawable' });
    expect(await make(variable, false)).toHaveProperty('warning', 'svg-undrawable');
    const dark = styled('@media (prefers-color-scheme:dark){.a{fill:red}}');
    expect(await make(dark, true)).toMatchObject({ ...kept, warning: 'svg-adaptive' });
    expect(await make(dark, false)).not.toHaveProperty('warning');
  });
});

test('an SVG cannot show other files', async () => {
  const secret = join(folder.path, 'secret.png');
  await sharp({ create: { width: 10, height: 10, channels: 3, background: '#00ff00' } })
    .png()
    .toFile(secret);
  const image = await make(
    `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><image href="file://${secret}" width="10" height="10"/><image href="../secret.png" width="10" height="10"/></svg>`,
    true,
  );
  expect(new Set(await pixels(image.bytes))).toEqual(new Set([0]));
});

describe('sides too long for WebP', () => {
  const long = () =>
    sharp({ create: { width: 20_000, height: 16, channels: 3, background: '#fff' } });

  test.each(['png', 'jpeg'] as const)('keep a %s in its own format and size', async (format) => {
    const original = await long().toFormat(format).toBuffer();
    const own = { ending: format === 'jpeg' ? 'jpg' : format, width: 20_000, height: 16 };
    const kept = { kept: 'original', warning: 'too-long-for-webp' } as const;
    expect(await make(original, true)).toMatchObject({ ...own, ...kept });
    const image = await make(original, false);
    expect(image).toMatchObject(own);
    expect(image).not.toHaveProperty('warning');
  });

  test('shrink what has to become a WebP, and the result says so', async () => {
    const image = await make(await long().tiff().toBuffer(), true);
    expect(image).toMatchObject({ width: 16_383, height: 13, warning: 'shrunk-for-webp' });
  });
});

const DAMAGED = /damaged or incomplete/;
const JPEG_SCAN = Buffer.from([0xff, 0xda]);

/** Returns what comes before a marker, and some bytes from it on. */
async function cutAt(image: Sharp, marker: string | Buffer, more: number): Promise<Buffer> {
  const bytes = await image.toBuffer();
  return bytes.subarray(0, bytes.indexOf(marker) + more);
}

/** Returns the image with other bytes some way behind a marker. */
async function spoilt(image: Sharp, marker: string, after: number): Promise<Buffer> {
  const bytes = await image.toBuffer();
  const start = bytes.indexOf(marker) + after;
  return bytes.fill(0x55, start, start + 30);
}

describe('shown as far as it can be read', () => {
  const photo = () => picture(400, 300);
  const cut = (share: number) => (bytes: Buffer) =>
    bytes.subarray(0, Math.floor(bytes.length * share));
  const spoil = (bytes: Buffer) =>
    Buffer.from(bytes).fill(0x55, bytes.length >> 1, (bytes.length >> 1) + 9);
  type Case = [string, [() => Sharp, (bytes: Buffer) => Buffer], number];
  const cases: Case[] = [
    ['a JPEG cut off', [() => photo().jpeg(), cut(0.7)], 0.4],
    ['a JPEG without its end', [() => photo().jpeg(), cut(0.9999)], 0.9],
    ['a progressive JPEG cut off', [() => photo().jpeg({ progressive: true }), cut(0.7)], 0],
    ['a PNG cut off', [() => photo().png(), cut(0.7)], 0.4],
    ['an interlaced PNG cut off', [() => photo().png({ progressive: true }), cut(0.7)], 0],
    ['a PNG without its end', [() => photo().png(), (png) => png.subarray(0, -12)], 1],
    ['a PNG of a palette cut off', [() => photo().png({ palette: true }), cut(0.7)], 0.4],
    ['a PNG damaged in the middle', [() => photo().png({ compressionLevel: 0 }), spoil], 0.2],
  ];
  test.each(cases)('%s', async (_, [whole, cut], share) => {
    const original = await whole().toBuffer();
    const bytes = cut(original);
    // A picture that only lacks its end is whole once it is a WebP.
    if (share < 1) expect(await make(bytes, true)).toHaveProperty('warning', 'damaged');
    const image = await make(bytes, false);
    expect(image).toMatchObject({ width: 400, height: 300, warning: 'damaged' });
    // Decoders that are as strict as those of transforms accept it.
    const shown = await sharp(image.bytes, { failOn: 'error' }).raw().toBuffer();
    const top = Math.floor(shown.length * share);
    const before = await sharp(original).raw().toBuffer();
    expect(shown.subarray(0, top).equals(before.subarray(0, top))).toBe(true);
  });

  test('what is missing of a PNG is nothing, not what another image left in the memory', async () => {
    const { bytes } = await make(cut(0.7)(await photo().png().toBuffer()), false);
    expect(new Set((await pixels(bytes)).subarray(-400 * 3))).toEqual(new Set([0]));
  });

  test('metadata is removed, and the orientation kept', async () => {
    for (const format of ['jpeg', 'png'] as const) {
      const image = await make(
        cut(0.8)(await telltale(6, 400, 300).toFormat(format).toBuffer()),
        false,
      );
      expect(image).toMatchObject({ width: 300, height: 400, warning: 'damaged' });
      expect((await sharp(image.bytes).metadata()).orientation).toBe(6);
      for (const secret of SECRETS) expect(image.bytes.includes(secret)).toBe(false);
    }
  });

  test('a whole image is not called damaged', async () => {
    expect(await make(await photo().png().toBuffer(), false)).not.toHaveProperty('warning');
  });
});

/** Returns a TIFF that declares 40,000 rows, of which it has 32. */
async function hugeTiff(): Promise<Buffer> {
  const tiff = await picture().tiff({ compression: 'none' }).toBuffer();
  const rows = tiff.indexOf(Buffer.from([1, 1, 3, 0, 1, 0, 0, 0, 32]));
  const columns = tiff.indexOf(Buffer.from([0, 1, 3, 0, 1, 0, 0, 0, 48]));
  for (const entry of [rows, columns]) tiff.writeUInt16LE(40_000, entry + 8);
  return tiff;
}

describe('always delivered as WebP', () => {
  const formats = {
    tiff: () => telltale(6).tiff({ compression: 'lzw' }),
    avif: () => telltale(6).avif({ effort: 0 }),
  };
  test.each(Object.entries(formats))('%s', async (_, encode) => {
    const original = await encode().toBuffer();
    for (const webp of [false, true]) {
      const image = await make(original, webp);
      expect(image).toMatchObject({ ending: 'webp', width: 32, height: 48, isConverted: true });
      expect((await sharp(image.bytes).metadata()).format).toBe('webp');
      for (const secret of SECRETS) expect(image.bytes.includes(secret)).toBe(false);
    }
  });

  test('of a TIFF with several pages the first one', async () => {
    const pages = await Promise.all(
      ['#ff0000', '#00ff00'].map((background) =>
        sharp({ create: { width: 20, height: 10, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const tiff = await sharp(pages, { join: { animated: true } })
      .tiff()
      .toBuffer();
    expect((await sharp(tiff).metadata()).pages).toBe(2);
    const image = await make(tiff, true);
    expect(image).toMatchObject({ width: 20, height: 10, duration: null });
    const [red = 0, green = 255] = await pixels(image.bytes);
    expect({ isRed: red > 245, isGreen: green > 10 }).toEqual({ isRed: true, isGreen: false });
  });

  test('one that ends early is refused', async () => {
    for (const encode of Object.values(formats)) {
      const bytes = await encode().toBuffer();
      const cut = make(bytes.subarray(0, bytes.length / 2), false);
      await expect(cut).rejects.toMatchObject({ name: 'MediaFailure', retry: 'never' });
    }
  });
});

describe('refused for good', () => {
  const truncated = async (bytes: Promise<Buffer>) => {
    const full = await bytes;
    return full.subarray(0, Math.floor(full.length * 0.7));
  };
  const cases: [string, () => Promise<Uint8Array>, RegExp][] = [
    ['a text', async () => Buffer.from('hello'), /not a readable image/],
    ['nothing', async () => Buffer.of(), /not a readable image/],
    ['a JPEG without its data', async () => Buffer.of(0xff, 0xd8, 0xff), /not a readable image/],
    [
      'a TIFF of too many pixels',
      () => hugeTiff(),
      /has 1,600 megapixels; the most allowed is 100\./,
    ],
    ['a JPEG cut before its pixels', () => cutAt(picture(400, 300).jpeg(), JPEG_SCAN, 14), DAMAGED],
    ['a PNG cut before its pixels', () => cutAt(picture(400, 300).png(), 'IDAT', 4), DAMAGED],
    ['a PNG cut in its first row', () => cutAt(picture(400, 300).png(), 'IDAT', 40), DAMAGED],
    ['a PNG whose pixels are no zlib', () => spoilt(picture(400, 300).png(), 'IDAT', 4), DAMAGED],
    ['a WebP cut off', () => truncated(picture(400, 300).webp().toBuffer()), /damaged|readable/],
    [
      'too many pixels',
      () => claiming(20_000, 14_000),
      /has 280 megapixels; the most allowed is 100\./,
    ],
    ['far too many pixels', () => claiming(65_536, 65_536), /has 4,295 megapixels/],
  ];
  test.each(cases)('%s', async (_, bytes, reason) => {
    for (const webp of [true, false]) {
      const pending = make(await bytes(), webp);
      await expect(pending).rejects.toMatchObject({ name: 'MediaFailure', retry: 'never' });
      await expect(pending).rejects.toThrow(reason);
    }
  });

  test('too many pixels are refused before any is decoded', async () => {
    const bytes = await claiming(65_000, 65_000);
    const before = process.cpuUsage();
    await expect(make(bytes, true)).rejects.toThrow('megapixels');
    // The limit is CPU time in microseconds and many times what a linear search takes; a quadratic one
    // takes minutes.
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });

  test('frames count: many small ones are as many pixels as one large', async () => {
    const frame = Buffer.from('21f90400000000002c00000000e803e80300', 'hex');
    const data = Buffer.from('02024c0100', 'hex');
    const head = Buffer.from('474946383961e803e803800000000000ffffff', 'hex');
    const gif = Buffer.concat([
      head,
      ...Array(101).fill(Buffer.concat([frame, data])),
      Buffer.of(0x3b),
    ]);
    await expect(make(gif, true)).rejects.toThrow('101 megapixels in 101 frames');
  });
});

test('exactly 100 megapixels are not too many', async () => {
  await expect(make(await claiming(10_000, 10_000), false)).rejects.toThrow('damaged');
});
