import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ffmpeg, scratch } from '../testing/clips.ts';
import { generateImage } from '../transforms/generate-image.ts';
import { NO_TRANSFORM } from '../transforms/testing/no-transform.ts';
import { makeImage } from './image.ts';
import { sharp } from './sharp.ts';

const folder = scratch();
afterAll(folder.remove);

function chunk(type: string, body: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + body.length);
  bytes.writeUInt32BE(body.length);
  bytes.write(type, 4, 'latin1');
  body.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), 8 + body.length);
  return bytes;
}
const cicp = (primaries: number, transfer: number) =>
  chunk('cICP', Buffer.of(primaries, transfer, 0, 1));
const numbers = (type: string, ...values: number[]) => {
  const body = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) body.writeUInt32BE(value, at * 4);
  return chunk(type, body);
};
const P3 = [31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6000];

async function png(background: string, ...chunks: Buffer[]): Promise<Buffer> {
  const create = { width: 200, height: 160, channels: 3 as const, background };
  const plain = await sharp({ create }).png({ compressionLevel: 0 }).toBuffer();
  return Buffer.concat([plain.subarray(0, 33), ...chunks, plain.subarray(33)]);
}

/** Returns the colour in the middle of the WebP of an image, and of a transform of it. */
async function shown(bytes: Uint8Array): Promise<number[][]> {
  const work = mkdtempSync(join(folder.path, 'work-'));
  const source = join(work, 'source');
  await Bun.write(source, bytes);
  await makeImage({ source, path: join(work, 'a'), webp: true });
  await generateImage(source, join(work, 'b'), { ...NO_TRANSFORM, width: 40 });
  expect((await readdir(work)).toSorted()).toEqual(['a', 'b', 'source']);
  return Promise.all(
    ['a', 'b'].map(async (name) => {
      const { channels } = await sharp(join(work, name)).removeAlpha().stats();
      return channels.map(({ mean }) => Math.round(mean));
    }),
  );
}

async function greyPng(grey: number, ...chunks: Buffer[]): Promise<Buffer> {
  const background = { r: grey, g: grey, b: grey };
  const plain = await sharp({ create: { width: 200, height: 160, channels: 3, background } })
    .toColourspace('b-w')
    .png({ compressionLevel: 0 })
    .toBuffer();
  expect((await sharp(plain).metadata()).channels).toBe(1);
  return Buffer.concat([plain.subarray(0, 33), ...chunks, plain.subarray(33)]);
}

function expectNear(all: number[][], expected: number[], tolerance: number) {
  const off = all.flatMap((one) => one.map((value, at) => Math.abs(value - (expected[at] ?? 0))));
  if (!(Math.max(...off) <= tolerance)) throw new Error(`${all.join(' | ')}, not ${expected}`);
}

// The expected colours are those of Chromium.
const declared: [string, () => Promise<Buffer>, number[]][] = [
  ['Display P3 by cICP', () => png('#eb3223', cicp(12, 13)), [255, 0, 0]],
  ['BT.2020 by cICP', () => png('#ca5b1d', cicp(9, 1)), [243, 43, 0]],
  ['the curve of BT.709 by cICP', () => png('#804020', cicp(1, 1)), [121, 54, 20]],
  ['sRGB by cICP', () => png('#804020', cicp(1, 13)), [128, 64, 32]],
  ['linear light by gAMA', () => png('#808080', numbers('gAMA', 100_000)), [188, 188, 188]],
  ['grey light by gAMA', () => greyPng(128, numbers('gAMA', 100_000)), [188, 188, 188]],
  ['gamma 1.8 by gAMA', () => png('#804020', numbers('gAMA', 55_556)), [146, 81, 43]],
  [
    'Display P3 by cHRM',
    () => png('#eb3223', numbers('gAMA', 45_455), numbers('cHRM', ...P3)),
    [255, 0, 0],
  ],
  [
    'sRGB that precedes gAMA',
    () => png('#804020', chunk('sRGB', Buffer.of(0)), numbers('gAMA', 100_000)),
    [128, 64, 32],
  ],
  ['no triangle by cHRM', () => png('#804020', numbers('cHRM', ...P3.fill(0, 2))), [128, 64, 32]],
];
test.each(declared)(
  'a PNG of %s looks the same as WebP and in transforms',
  async (_, make, expected) => {
    expectNear(await shown(await make()), expected, 4);
  },
);

describe('an AVIF', () => {
  /** Encodes colours that fill a picture, declared by code points. */
  async function avif(name: string, filter: string, ...tags: string[]): Promise<Uint8Array> {
    const path = join(folder.path, `${name}.avif`);
    const codec = ['-c:v', 'libaom-av1', '-still-picture', '1', '-crf', '5', '-cpu-used', '8'];
    const source = ['-f', 'lavfi', '-i', `color=0xEB3223:s=64x64:d=0.04,${filter}`];
    await ffmpeg(...source, '-frames:v', '1', ...codec, ...tags, path);
    return Bun.file(path).bytes();
  }

  test('of Display P3 by code points looks the same', async () => {
    const filter = 'format=gbrp,scale=out_color_matrix=bt601:out_range=pc,format=yuv444p';
    const tags = ['-color_primaries', 'smpte432', '-color_trc', 'iec61966-2-1'];
    const range = ['-colorspace', 'smpte170m', '-color_range', 'pc'];
    expectNear(await shown(await avif('p3', filter, ...tags, ...range)), [255, 0, 0], 4);
  });

  // Chromium shows 187 and 255.
  test.each([
    ['white of SDR', 572, 191],
    ['light of 1000 nits', 723, 255],
  ])('of HDR (PQ) has %s where browsers have it', async (_, code, expected) => {
    const filter = `format=yuv444p10le,geq=lum=${code}:cb=512:cr=512`;
    const tags = ['-color_primaries', 'bt2020', '-color_trc', 'smpte2084'];
    const pq = await avif(`pq-${code}`, filter, ...tags, '-colorspace', 'bt2020nc');
    expectNear(await shown(pq), [expected, expected, expected], 4);
  });
});
