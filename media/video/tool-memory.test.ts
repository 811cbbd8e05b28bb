import { afterAll, expect, test } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MIB } from '../../server/contract/limits.ts';
import { manySamples } from '../../tests/support/fixtures/repeated-frame.ts';
import { limitToolMemory } from '../sandbox/confine.ts';
import { scratch } from '../testing/clips.ts';
import { decodeHere } from '../testing/decode-here.ts';
import { peakMemory } from '../testing/processes.ts';
import { makeVideo } from './video.ts';

const folder = scratch();
const MEMORY_BYTES = 256 * MIB;
limitToolMemory(MEMORY_BYTES);
afterAll(() => {
  limitToolMemory(Number.MAX_SAFE_INTEGER);
  folder.remove();
});

test('a video of 2 KB that names fifty million samples gets no more memory than is allowed', async () => {
  const source = join(folder.path, 'source');
  const out = join(folder.path, 'out');
  await mkdir(out);
  await Bun.write(source, await manySamples(50_000_000));
  const peak = peakMemory(folder.path);
  const made = makeVideo({
    ...{ source, folder: out, thumbnail: null, resolutions: [], timelinePreview: false },
    ...{ isBackground: true, decode: decodeHere, signal: new AbortController().signal },
    tools: { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' },
    onProgress: () => {},
    onPlayable: async () => {},
  });
  await expect(made).rejects.toMatchObject({ name: 'MediaFailure', retry: 'never' });
  expect(peak()).toBeLessThan(MEMORY_BYTES);
});
