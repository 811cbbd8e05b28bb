import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { MIB } from '../../server/contract/limits.ts';
import { MediaFailure } from '../media-failure.ts';
import { cleanBytes } from '../testing/clean-bytes.ts';
import { scratch } from '../testing/clips.ts';
import { cleanImage } from './clean-image.ts';
import { planGif } from './gif.ts';
import { planJpeg } from './jpeg.ts';
import type { Planner } from './piece-writer.ts';
import { planPng } from './png.ts';
import { createRandomAccess, WINDOW_BYTES } from './random-access.ts';
import { planSvg } from './svg.ts';
import { planWebp } from './webp.ts';

const folder = scratch();
afterAll(folder.remove);

/** Returns a file that begins correctly and then repeats a part to the end. */
function repeated(size: number, head: string, part: string, encoding: BufferEncoding) {
  const start = Buffer.from(head, encoding);
  return Buffer.concat([start, Buffer.alloc(size - start.length, Buffer.from(part, encoding))]);
}

const SIZE = MIB / 4;
const GIF = '47494638396101000100000000';
const PNG = '89504e470d0a1a0a0000000d494844520000000100000001080200000000000000';
const RIFF_OF_SIZE = '52494646f8ff030057454250';

type Hostile = [name: string, plan: Planner, head: string, part: string, encoding?: BufferEncoding];
const PARTS: Hostile[] = [
  ['JPEG markers', planJpeg, 'ffd8', 'ff01'],
  ['JPEG segments', planJpeg, 'ffd8', 'fffe0002'],
  ['JPEG scans', planJpeg, 'ffd8', 'ffda0002'],
  ['GIF extensions', planGif, GIF, '21fe00'],
  ['GIF sub-blocks', planGif, `${GIF}21fe`, '0101'],
  ['PNG chunks', planPng, PNG, '000000007445587400000000'],
  ['WebP chunks', planWebp, RIFF_OF_SIZE, '4558494600000000'],
  ['SVG tags', planSvg, '<svg>', '<a>', 'latin1'],
  ['SVG comments', planSvg, '<svg>', '<!---->', 'latin1'],
  ['SVG attributes', planSvg, '<svg', ' a=""', 'latin1'],
  ['SVG declarations', planSvg, '<!DOCTYPE svg [', '<>', 'latin1'],
  ['SVG quoted texts', planSvg, '<!DOCTYPE svg [', '""', 'latin1'],
];
const RUNS: Hostile[] = [
  ['JPEG fill bytes', planJpeg, 'ffd8', 'ff'],
  ['JPEG stuffed bytes', planJpeg, 'ffd8ffda0002', 'ff00'],
  ['SVG white space', planSvg, '<svg', ' ', 'latin1'],
  ['SVG document type', planSvg, '<!DOCTYPE svg [', 'a', 'latin1'],
];

test.each([...PARTS, ...RUNS])(
  '%s without end are read once',
  (name, plan, head, part, encoding = 'hex') => {
    const bytes = repeated(SIZE, head, part, encoding);
    let loads = 0;
    const file = createRandomAccess(SIZE, (window, position) => {
      loads += 1;
      return bytes.copy(window, 0, position);
    });
    const isPart = PARTS.some((one) => one[0] === name);
    const parts = isPart
      ? Math.floor((SIZE - head.length) / Buffer.from(part, encoding).length)
      : 0;
    expect(countSteps(plan(file, 1))).toBeGreaterThanOrEqual(parts);
    // A WebP is walked over twice, and windows overlap where a name may go on in the next.
    expect(loads).toBeLessThanOrEqual((2 * SIZE) / WINDOW_BYTES + 2);
  },
);

function countSteps(steps: Iterable<unknown>): number {
  let count = 0;
  try {
    for (const _ of steps) count += 1;
  } catch (error) {
    expect(error).toBeInstanceOf(MediaFailure);
  }
  return count;
}

test('a JPEG of five million markers is refused for good', async () => {
  const bytes = repeated(10 * MIB, 'ffd8', 'ff01', 'hex');
  await expect(cleanBytes(folder.path, bytes, 'jpeg')).rejects.toMatchObject({
    retry: 'never',
    message: expect.stringContaining('too many parts'),
  });
});

test('a deadline ends the work for good, and another abort with its reason', async () => {
  const from = join(folder.path, 'from');
  await Bun.write(from, '<svg/>');
  const run = (reason: unknown) =>
    cleanImage(from, join(folder.path, crypto.randomUUID()), 'svg', 1, AbortSignal.abort(reason));
  await expect(run(new DOMException('The operation timed out.', 'TimeoutError'))).rejects.toEqual(
    expect.objectContaining({ retry: 'never', message: 'The image took too long to process.' }),
  );
  await expect(run(new Error('cancelled'))).rejects.toThrow('cancelled');
});
