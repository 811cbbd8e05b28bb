import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { scratch } from '../testing/clips.ts';
import { picture } from '../testing/pictures.ts';
import { readApng } from './apng.ts';

const folder = scratch();
afterAll(folder.remove);

/** Returns a chunk, whose checksum nobody looks at here. */
function chunk(type: string, length: number, write: (body: Buffer) => void = () => {}): Buffer {
  const bytes = Buffer.alloc(length + 12);
  bytes.writeUInt32BE(length, 0);
  bytes.write(type, 4, 'latin1');
  write(bytes.subarray(8));
  return bytes;
}
const frame = (delay: number, denominator: number) =>
  chunk('fcTL', 26, (body) => {
    body.writeUInt16BE(delay, 20);
    body.writeUInt16BE(denominator, 22);
  });

/** Reads a PNG of 48 times 32 pixels with more chunks behind its header. */
async function read(...chunks: Buffer[]) {
  const png = await picture().png().toBuffer();
  const path = join(folder.path, 'source');
  await Bun.write(path, Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]));
  return readApng(path);
}
const control = chunk('acTL', 8, (body) => body.writeUInt32BE(3, 4));

test('frames, plays and the time of a round are those that are in the file', async () => {
  const expected = { width: 48, height: 32, frames: 3, plays: 3, duration: 100 + 500 + 70 };
  expect(await read(control, frame(1, 10), frame(1, 2), frame(7, 0))).toEqual(expected);
});

test('one frame, none and no announcement are no animation', async () => {
  for (const chunks of [[control, frame(1, 10)], [control], [frame(1, 10), frame(1, 10)]])
    expect(await read(...chunks)).toBeNull();
});

test('a file of more chunks than anybody needs is no animation', async () => {
  const many = Array.from({ length: 60_000 }, () => frame(1, 10));
  expect(await read(control, ...many)).toBeNull();
});

test('what is no PNG is no animation', async () => {
  const path = join(folder.path, 'text');
  await Bun.write(path, 'P');
  expect(readApng(path)).toBeNull();
});
