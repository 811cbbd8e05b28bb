import { afterAll, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { sharp } from '../image/sharp.ts';
import { scratch } from '../testing/clips.ts';
import { picture } from '../testing/pictures.ts';
import { repairPng } from './repair-png.ts';

const folder = scratch();
afterAll(folder.remove);

/** A text of no bytes, with its checksum. */
const EMPTY_CHUNK = Buffer.from('0000000074455874a2cd7ec8', 'hex');

/** Mends a file, and returns the bytes of the rows. */
async function repairedRows(png: Uint8Array): Promise<Buffer> {
  const [from, to] = [join(folder.path, 'damaged'), join(folder.path, 'repaired')];
  await Bun.write(from, png);
  await repairPng(from, to, new AbortController().signal);
  const rows = await sharp(to, { failOn: 'error' }).raw().toBuffer();
  await rm(to);
  return rows;
}

test.each([
  ['a small one', 64, 48],
  ['a large one', 800, 600],
])('all rows before the damage are read, in every run: %s', async (_, width, height) => {
  const png = await picture(width, height).png().toBuffer();
  const whole = await sharp(png).raw().toBuffer();
  const middle = png.length >> 1;
  const damaged = Buffer.from(png).fill(0xff, middle, middle + 40);
  const intact = Math.floor(height * 0.45) * width * 3;
  for (let run = 0; run < 20; run += 1) {
    const rows = await repairedRows(damaged);
    expect(rows.subarray(0, intact).equals(whole.subarray(0, intact))).toBe(true);
  }
});

test('the rows end at a filter that does not exist', async () => {
  const [width, rowBytes] = [32, 1 + 32 * 3];
  const png = await picture(width, 24).png().toBuffer();
  const idat = png.indexOf('IDAT');
  const rows = Buffer.from(inflateSync(png.subarray(idat + 4, -16)));
  rows.writeUInt8(5, rowBytes * 10);
  const packed = deflateSync(rows);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(packed.length);
  const damaged = Buffer.concat([png.subarray(0, idat - 4), length, Buffer.from('IDAT'), packed]);
  const whole = await sharp(png).raw().toBuffer();
  const shown = await repairedRows(damaged);
  const end = 10 * width * 3;
  expect(shown.subarray(0, end).equals(whole.subarray(0, end))).toBe(true);
  expect(new Set(shown.subarray(end))).toEqual(new Set([0]));
});

test('a damaged PNG of more chunks than a whole one may have is refused', async () => {
  const png = await picture(64, 48).png().toBuffer();
  const chunks = Buffer.alloc(600_000 * EMPTY_CHUNK.length, EMPTY_CHUNK);
  const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
  await Bun.write(from, Buffer.concat([png.subarray(0, 33), chunks, png.subarray(33, -100)]));
  const repaired = repairPng(from, to, new AbortController().signal);
  await expect(repaired).rejects.toMatchObject({ name: 'MediaFailure', retry: 'never' });
});
