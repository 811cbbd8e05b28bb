import { afterAll, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sharp } from 'sharp';
import type { Transform } from '../../server/contract/transforms.ts';
import { convertBmp } from '../image/bmp.ts';
import { sharp } from '../image/sharp.ts';
import { bmp } from '../testing/bmp.ts';
import { scratch } from '../testing/clips.ts';
import { heic } from '../testing/heic.ts';
import { malformed, seeded } from '../testing/mutations.ts';
import { picture } from '../testing/pictures.ts';
import { DecoderPool } from './decoder-pool.ts';
import { decoderProgram } from './program.ts';
import type { DecodeTask } from './tasks.ts';

const folder = scratch();
afterAll(folder.remove);

const SIDE = 160;
const MUTATIONS = 4;
const { signal } = new AbortController();

const box = { width: SIDE, height: SIDE };
const solid = () => sharp({ create: { ...box, channels: 3, background: '#e91ec0' } });
const embedded = (jpeg: Buffer) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}"><image width="${SIDE}" height="${SIDE}" href="data:image/jpeg;base64,${jpeg.toString('base64')}"/></svg>`;

/** Writes an image in each format. */
const FORMATS: Record<string, (image: Sharp) => Promise<Buffer>> = {
  jpeg: (image) => image.jpeg().toBuffer(),
  'progressive jpeg': (image) => image.jpeg({ progressive: true }).toBuffer(),
  png: (image) => image.png().toBuffer(),
  'interlaced png': (image) => image.png({ progressive: true }).toBuffer(),
  webp: (image) => image.webp().toBuffer(),
  gif: (image) => image.gif().toBuffer(),
  tiff: (image) => image.tiff({ compression: 'lzw', tile: true }).toBuffer(),
  'plain tiff': (image) => image.tiff({ compression: 'none' }).toBuffer(),
  avif: (image) => image.avif({ effort: 0 }).toBuffer(),
  heic: (image) => heic({ image, ...box }),
  svg: async (image) => Buffer.from(embedded(await image.jpeg().toBuffer())),
};

const write = (format: string, image: Sharp) => FORMATS[format]?.(image) as Promise<Buffer>;

/** Returns an image of a format, and some that lack data, a few of them in ways that decoders accept. */
async function damagedOf(format: string): Promise<Uint8Array[]> {
  const image = picture(SIDE, SIDE);
  const whole = await write(format, image);
  const random = seeded(SIDE);
  const files = Array.from({ length: MUTATIONS }, () => malformed(whole, random));
  files.push(whole);
  for (const part of [0.5, 0.9]) files.push(whole.subarray(0, whole.length * part));
  if (format === 'svg') {
    const jpeg = await image.jpeg().toBuffer();
    files.push(Buffer.from(embedded(jpeg.subarray(0, jpeg.length / 2))));
  }
  if (format === 'heic') {
    const photo = { image, ...box, slices: 4 };
    files.push(await heic({ ...photo, isMissing: (slice) => slice % 2 === 1 }));
    const tiles = { across: 2, down: 2 };
    files.push(await heic({ ...photo, tiles, isMissing: (slice, item) => slice + item > 3 }));
  }
  return files;
}

const transform: Transform = {
  ...{ width: null, height: null, fit: 'scale-down', gravity: 'auto', format: 'png' },
  ...{ quality: null, blur: 0, sharpen: 0, rotate: 0, background: null },
};
const TASKS: DecodeTask[] = [
  { kind: 'image', webp: true },
  { kind: 'image', webp: false },
  { kind: 'generate', transform },
  { kind: 'generate', transform: { ...transform, width: 50, blur: 3, rotate: 90, format: 'webp' } },
  { kind: 'poster', side: 100 },
  { kind: 'sheet', width: 60, height: 60 },
];

/** Does all tasks with each file in one decoder. Returns what became of them: results, or reasons. */
async function decodeAll(work: string, files: Uint8Array[], victim: Uint8Array | null) {
  const pool = new DecoderPool({ ...decoderProgram(''), workDir: work });
  const source = join(folder.path, 'source');
  const result = join(folder.path, 'result');
  const decode = async (bytes: Uint8Array, task: DecodeTask) => {
    await Bun.write(source, bytes);
    try {
      await pool.decodeFor('account')(task, { source, result }, signal);
      return Bun.hash(await Bun.file(result).bytes()).toString(16);
    } catch (error) {
      return String(error);
    } finally {
      await rm(source, { force: true });
      await rm(result, { force: true });
    }
  };
  const outcomes: string[] = [];
  for (const task of TASKS) {
    for (const bytes of files) {
      if (victim) await decode(victim, task);
      outcomes.push(await decode(bytes, task));
    }
  }
  await pool.stop();
  return outcomes;
}

test.each(Object.keys(FORMATS))(
  'what becomes of a damaged %s does not depend on the image before it',
  async (format) => {
    const victim = await write(format, solid());
    const damaged = await damagedOf(format);
    const alone = await decodeAll(join(folder.path, `${format} alone`), damaged, null);
    const after = await decodeAll(join(folder.path, `${format} after`), damaged, victim);
    expect(after).toEqual(alone);
  },
);

/** Returns a BMP of 8 bits in runs that ends, as its format allows, before its first pixel. */
function withoutRuns(): Buffer {
  const file = Buffer.concat([bmp(SIDE, SIDE, [0, 0, 0]).subarray(0, 54), Buffer.alloc(1024, 200)]);
  file.writeUInt32LE(file.length, 10);
  file.writeUInt16LE(8, 28);
  file.writeUInt32LE(1, 30);
  return Buffer.concat([file, Buffer.from([0, 1])]);
}

test('nor does what ffmpeg makes of a BMP without pixels', async () => {
  const work = join(folder.path, 'bmp');
  const convert = async (bytes: Uint8Array) => {
    const source = join(work, 'source');
    await Bun.write(source, bytes);
    return Bun.file(await convertBmp({ source, folder: work, ffmpeg: 'ffmpeg', signal })).bytes();
  };
  const alone = await convert(withoutRuns());
  await convert(bmp(SIDE, SIDE, [233, 30, 192]));
  expect(await convert(withoutRuns())).toEqual(alone);
});
