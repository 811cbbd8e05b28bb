import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { MIB } from '../../server/contract/limits.ts';
import { manySamples } from '../../tests/support/fixtures/repeated-frame.ts';
import { limitToolMemory } from '../sandbox/confine.ts';
import { scratch } from '../testing/clips.ts';
import { encodeHere } from '../testing/encode-here.ts';
import { peakMemory } from '../testing/processes.ts';

const folder = scratch();
const MEMORY_BYTES = 256 * MIB;
limitToolMemory(MEMORY_BYTES);
afterAll(() => {
  limitToolMemory(Number.MAX_SAFE_INTEGER);
  folder.remove();
});

test('a video of 2 KB that names fifty million samples gets no more memory than is allowed', async () => {
  const source = join(folder.path, 'source');
  await Bun.write(source, await manySamples(50_000_000));
  const peak = peakMemory(folder.path);
  await expect(encodeHere(source)).rejects.toMatchObject({ name: 'MediaFailure', retry: 'never' });
  expect(peak()).toBeLessThan(MEMORY_BYTES);
});
