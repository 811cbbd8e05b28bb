import { afterAll, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MIB } from '../../server/contract/limits.ts';
import { sharp } from '../image/sharp.ts';
import { scratch } from '../testing/clips.ts';
import { heic } from '../testing/heic.ts';
import { peakMemory } from '../testing/processes.ts';
import { NO_TRANSFORM } from '../transforms/testing/no-transform.ts';
import { DecoderPool } from './decoder-pool.ts';
import { decoderProgram } from './program.ts';
import type { DecodeTask } from './tasks.ts';

const folder = scratch();
afterAll(folder.remove);
const files = { source: join(folder.path, 'source'), result: join(folder.path, 'result') };

/** Enough for an image of three megapixels. */
const MEMORY_BYTES = 104 * MIB;
/** What a decoder takes before it opens an image, without what it shares with other programs. */
const PROGRAM_BYTES = 96 * MIB;
const pool = new DecoderPool({
  ...decoderProgram(''),
  workDir: folder.path,
  memoryBytes: MEMORY_BYTES,
});
afterAll(() => pool.stop());

const TOO_MUCH = 'The image needs more memory than this server allows.';
const SIDE = 2500;
const box = { width: SIDE, height: SIDE };
const half = { r: 200, g: 100, b: 50, alpha: 0.5 };
const flat = () => sharp({ create: { ...box, channels: 4, background: half } });
async function decode(bytes: Uint8Array, task: DecodeTask) {
  await Bun.write(files.source, bytes);
  await rm(files.result, { force: true });
  const { signal } = new AbortController();
  const peak = peakMemory(folder.path);
  try {
    return await pool.decodeFor('account')(task, files, signal);
  } finally {
    expect(peak()).toBeLessThan(PROGRAM_BYTES + MEMORY_BYTES);
  }
}

const webp = { kind: 'image', webp: true } as const;
const generated = (format: 'webp' | 'avif') =>
  ({ kind: 'generate', transform: { ...NO_TRANSFORM, format } }) as const;

test('an image that is too large to become a WebP is delivered as it is', async () => {
  const image = await decode(await flat().png().toBuffer(), webp);
  expect(image).toMatchObject({ ending: 'png', ...box, kept: 'original' });
});

const REFUSED: [string, () => Promise<Buffer>, DecodeTask][] = [
  ['a TIFF', () => flat().tiff({ compression: 'deflate' }).toBuffer(), webp],
  [
    'an interlaced PNG of 16 bits',
    () => flat().toColourspace('rgb16').png({ progressive: true }).toBuffer(),
    { kind: 'image', webp: false },
  ],
  ['a GIF', () => flat().gif().toBuffer(), webp],
  ['an AVIF', () => flat().avif({ effort: 0 }).toBuffer(), webp],
  ['a HEIC in one tile', () => heic({ ...box, image: flat() }), webp],
  ['a generated WebP', () => flat().png().toBuffer(), generated('webp')],
  ['a generated AVIF', () => flat().png().toBuffer(), generated('avif')],
  [
    'an SVG of photos',
    async () => {
      const photo = (
        await flat()
          .resize(2 * SIDE)
          .jpeg()
          .toBuffer()
      ).toString('base64');
      const image = `<image width="99" height="99" href="data:image/jpeg;base64,${photo}"/>`;
      return Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99">${image.repeat(3)}</svg>`,
      );
    },
    webp,
  ],
];

test.each(REFUSED)('%s that needs too much memory is refused', async (_name, make, task) => {
  await expect(decode(await make(), task)).rejects.toMatchObject({
    message: TOO_MUCH,
    retry: 'never',
  });
});

test('a photo of ordinary size is a WebP as ever', async () => {
  const image = await decode(await flat().resize(1600).png().toBuffer(), webp);
  expect(image).toMatchObject({ ending: 'webp', width: 1600 });
});
