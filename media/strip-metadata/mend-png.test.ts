import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { scratch } from '../testing/clips.ts';
import { picture } from '../testing/pictures.ts';
import { mendPng } from './mend-png.ts';

const folder = scratch();
afterAll(folder.remove);

/** A text of no bytes, with its checksum. */
const EMPTY_CHUNK = Buffer.from('0000000074455874a2cd7ec8', 'hex');

test('a damaged PNG of more chunks than a whole one may have is refused', async () => {
  const png = await picture(64, 48).png().toBuffer();
  const chunks = Buffer.alloc(600_000 * EMPTY_CHUNK.length, EMPTY_CHUNK);
  const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
  await Bun.write(from, Buffer.concat([png.subarray(0, 33), chunks, png.subarray(33, -100)]));
  const mended = mendPng(from, to, new AbortController().signal);
  await expect(mended).rejects.toMatchObject({ name: 'MediaFailure', retry: 'never' });
});
