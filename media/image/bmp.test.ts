import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { bmp } from '../testing/bmp.ts';
import { scratch } from '../testing/clips.ts';
import { convertBmp, isBmp } from './bmp.ts';
import { sharp } from './sharp.ts';

const folder = scratch();
afterAll(folder.remove);

async function convert(bytes: Uint8Array) {
  const work = mkdtempSync(join(folder.path, 'work-'));
  const source = join(work, 'source');
  await Bun.write(source, bytes);
  expect(await isBmp(source)).toBe(true);
  const { signal } = new AbortController();
  return convertBmp({ source, folder: work, ffmpeg: 'ffmpeg', signal });
}

test('a BMP becomes a TIFF of the same pixels', async () => {
  const tiff = sharp(await convert(bmp(30, 20, [200, 100, 50])));
  expect(await tiff.metadata()).toMatchObject({ format: 'tiff', width: 30, height: 20 });
  const [red, green, blue] = await tiff.removeAlpha().raw().toBuffer();
  expect([red, green, blue]).toEqual([200, 100, 50]);
});

test('one that ends early, one of too many pixels and mere letters are refused for good', async () => {
  const huge = bmp(4, 4, [0, 0, 0]);
  huge.writeInt32LE(60_000, 18);
  huge.writeInt32LE(60_000, 22);
  for (const bytes of [bmp(300, 200, [9, 9, 9]).subarray(0, 4000), huge, Buffer.from('BMW')]) {
    const refused = convert(bytes);
    await expect(refused).rejects.toMatchObject({ name: 'MediaFailure', retry: 'never' });
  }
});
