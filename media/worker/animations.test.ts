import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageJob, MediaJob, MediaResult } from '../../server/contract/media.ts';
import type { Decode } from '../decoder/tasks.ts';
import { sharp } from '../image/sharp.ts';
import { ffmpeg, scratch } from '../testing/clips.ts';
import { decodeHere } from '../testing/decode-here.ts';
import { folderStore } from '../testing/folder-store.ts';
import { picture } from '../testing/pictures.ts';
import { NO_TRANSFORM } from '../transforms/testing/no-transform.ts';
import { type JobContext, runJob } from './pipeline.ts';

const folder = scratch();
afterAll(folder.remove);
const root = join(folder.path, 'objects');
mkdirSync(join(root, 'up'), { recursive: true });
const store = folderStore(root);
const workDir = join(folder.path, 'work');

function run(job: MediaJob, more: Partial<JobContext> = {}) {
  return runJob(job, {
    ...{ objects: store, workDir, signal: new AbortController().signal, decode: decodeHere },
    ...{ onProgress: () => {}, onPlayable: () => {}, onHash: () => {} },
    inTurn: (_kind, _owner, decode) => decode(new AbortController().signal),
    tools: { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' },
    ...more,
  }) as Promise<MediaResult>;
}

let count = 0;
/** Uploads an object of the store. Returns the result, and the key of what is delivered. */
async function upload(source: string, webp: boolean, more?: Partial<JobContext>) {
  count += 1;
  const job: ImageJob = {
    ...{ kind: 'image', source, prefix: `made-${count}/`, baseName: 'a', owner: 'o', webp },
  };
  const result = await run(job, more);
  return {
    result,
    key: `${job.prefix}${result.entry}`,
    path: join(root, job.prefix, result.entry),
  };
}

/** Makes five frames of half a second, of which each counts, half transparent. */
async function moving(name: string, ...options: string[]): Promise<string> {
  const bars = 'testsrc=s=96x64:r=2:d=2.5,format=rgba,colorchannelmixer=aa=0.5';
  await ffmpeg('-f', 'lavfi', '-i', bars, ...options, join(root, 'up', name));
  return `up/${name}`;
}

const delays = async (path: string) => {
  const { pages, delay, loop, pageHeight } = await sharp(path, { animated: true }).metadata();
  return { pages, delay, loop, pageHeight };
};
const FIVE = { pages: 5, delay: [500, 500, 500, 500, 500], pageHeight: 64 };

describe('an animated PNG', () => {
  const apng = () => moving('moving.png', '-f', 'apng', '-plays', '3', '-pred', 'none');

  test('becomes an animated WebP with its delays, loops and transparency', async () => {
    const { result, path } = await upload(await apng(), true);
    expect(result).toMatchObject({ entry: 'a.webp', width: 96, height: 64, duration: 2500 });
    expect(result).not.toHaveProperty('warning');
    expect(await delays(path)).toEqual({ ...FIVE, loop: 3 });
    const { data } = await sharp(path).raw().toBuffer({ resolveWithObject: true });
    expect(data[4 * 95 + 3]).toBeLessThan(140);
  });

  test('kept as it is stays animated in transforms that can be', async () => {
    const { result, key } = await upload(await apng(), false);
    expect(result).toMatchObject({ entry: 'a.png', duration: 2500 });
    for (const format of ['webp', 'gif'] as const) {
      const transform = { ...NO_TRANSFORM, format, width: 48 };
      const job = { kind: 'transform', source: key, prefix: `${format}/`, baseName: 'd' } as const;
      const derived = await run({ ...job, owner: 'o', transform });
      expect(derived).toMatchObject({ width: 48, height: 32, duration: 2500 });
      const { pages } = await delays(join(root, format, derived.entry));
      expect(pages).toBe(5);
    }
  });

  test('smaller than its WebP is kept, and is still animated', async () => {
    const largeWebp: Decode = async (task, files, signal) => {
      const image = await decodeHere(task, files, signal);
      if (image.ending === 'webp') truncateSync(files.result, 1_000_000);
      return image;
    };
    const { result } = await upload(await apng(), true, { decode: largeWebp });
    expect(result).toMatchObject({ entry: 'a.png', kept: 'original', duration: 2500 });
    expect(result).not.toHaveProperty('warning');
  });

  test('is delivered as it is where ffmpeg cannot convert it, and the result says so', async () => {
    const { result } = await upload(await apng(), true, {
      tools: { ffmpeg: '/nonexistent/ffmpeg', ffprobe: 'ffprobe' },
    });
    expect(result).toMatchObject({ entry: 'a.png', kept: 'original', warning: 'animated-png' });
  });
});

test('an animated AVIF becomes an animated WebP', async () => {
  const { result, path } = await upload(
    await moving('moving.avif', '-c:v', 'libaom-av1', '-cpu-used', '8', '-pix_fmt', 'yuv444p'),
    false,
  );
  expect(result).toMatchObject({ entry: 'a.webp', width: 96, height: 64, duration: 2500 });
  expect(result).toHaveProperty('isConverted', true);
  expect(await delays(path)).toEqual({ ...FIVE, loop: 0 });
});

test('a still PNG is no animation', async () => {
  await Bun.write(join(root, 'up/still.png'), await picture().png().toBuffer());
  const { result } = await upload('up/still.png', false);
  expect(result).toMatchObject({ entry: 'a.png', duration: null });
});
