import { afterAll, expect, test } from 'bun:test';
import { sharp } from '../image/sharp.ts';
import { MediaFailure } from '../media-failure.ts';
import { cleanBytes } from '../testing/clean-bytes.ts';
import { scratch } from '../testing/clips.ts';
import { animation, frames } from '../testing/pictures.ts';

const folder = scratch();
afterAll(folder.remove);
const clean = (bytes: Uint8Array) => cleanBytes(folder.path, bytes, 'gif');
const original = await (await animation()).toBuffer();
const tableEnd = 13 + ((original[10] ?? 0) & 0x80 ? 3 * 2 ** (((original[10] ?? 0) & 7) + 1) : 0);

const blocks = (text: string) => {
  const body = Buffer.from(text, 'latin1');
  return Buffer.concat([Buffer.of(body.length), body, Buffer.of(0)]);
};
const hidden = Buffer.concat([
  Buffer.of(0x21, 0xfe),
  blocks('secret comment'),
  Buffer.of(0x21, 0x01),
  Buffer.of(12),
  Buffer.alloc(12),
  blocks('secret text'),
  Buffer.of(0x21, 0xff, 11),
  Buffer.from('XMP DataXMP', 'latin1'),
  blocks('secret xmp'),
  Buffer.of(0x21, 0xff, 11),
  Buffer.from('MGK8BIM0000', 'latin1'),
  blocks('secret iptc'),
]);

test('an animation stays as it is', async () => {
  const cleaned = await clean(original);
  expect((await frames(cleaned)).equals(await frames(original))).toBe(true);
  expect(await sharp(cleaned).metadata()).toMatchObject({
    loop: 2,
    delay: [100, 200, 300],
    pages: 3,
  });
});

test('comments, texts and application data go, wherever they are', async () => {
  const input = Buffer.concat([
    original.subarray(0, tableEnd),
    hidden,
    original.subarray(tableEnd, -1),
    hidden,
    Buffer.of(0x3b),
    Buffer.from('secret trailer'),
  ]);
  const cleaned = await clean(input);
  expect(cleaned.includes('secret')).toBe(false);
  expect(cleaned.equals(await clean(original))).toBe(true);
});

test('a missing trailer is added', async () => {
  expect((await clean(original.subarray(0, -1))).equals(await clean(original))).toBe(true);
});

test('a file that ends within a frame, or before the first, is refused', async () => {
  const frame = original.indexOf(0x2c, tableEnd);
  for (const length of [0, 5, 12, tableEnd, frame + 5, frame + 14, original.length - 3]) {
    await expect(clean(original.subarray(0, length))).rejects.toBeInstanceOf(MediaFailure);
  }
});

test('a block of no known kind is refused', async () => {
  const input = Buffer.concat([
    original.subarray(0, tableEnd),
    Buffer.of(0x99),
    original.subarray(tableEnd),
  ]);
  await expect(clean(input)).rejects.toBeInstanceOf(MediaFailure);
});
