import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MediaJob, MediaResult, VideoJob } from '../../server/contract/media.ts';
import { upstreamUnavailable } from '../../server/errors.ts';
import type { ObjectStore } from '../../server/platform/storage/port.ts';
import { makeClip, scratch } from '../testing/clips.ts';
import { decodeHere } from '../testing/decode-here.ts';
import { folderStore } from '../testing/folder-store.ts';
import { telltale } from '../testing/pictures.ts';
import { processesIn } from '../testing/processes.ts';
import { type JobContext, runJob } from './pipeline.ts';

const folder = scratch();
afterAll(folder.remove);
const root = join(folder.path, 'objects');
const workDir = join(folder.path, 'work');
mkdirSync(root);
const store = folderStore(root);
const clip = await makeClip(join(folder.path, 'clip.mp4'), { seconds: 8 });
const bytes = await Bun.file(clip).bytes();
const half = Math.floor(bytes.length / 2);
await Bun.write(join(root, 'up/0'), bytes.subarray(0, half));
await Bun.write(join(root, 'up/1'), bytes.subarray(half));
await Bun.write(join(root, 'up/photo'), await telltale(6).jpeg().toBuffer());

const video: MediaJob = {
  kind: 'video',
  sources: ['up/0', 'up/1'],
  prefix: 'v/',
  resolutions: [],
  owner: 'account',
};
const image: MediaJob = {
  kind: 'image',
  source: 'up/photo',
  prefix: 'i/',
  baseName: 'a',
  webp: true,
  owner: 'account',
};

let percents: number[] = [];
let hashes: string[] = [];
beforeEach(() => {
  percents = [];
  hashes = [];
});
const context = (more: Partial<JobContext> = {}): JobContext => ({
  objects: store,
  workDir,
  signal: new AbortController().signal,
  onProgress: (percent) => percents.push(percent),
  onPlayable: () => {},
  onHash: (sha256) => hashes.push(sha256),
  inTurn: (_kind, _owner, decode) => decode(new AbortController().signal),
  tools: { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' },
  decode: decodeHere,
  ...more,
});
const stored = async (prefix: string) =>
  (await Array.fromAsync(store.list(prefix))).map(({ key }) => key);
const leftovers = () => readdirSync(workDir);

test('a video uploaded in parts becomes HLS below its prefix', async () => {
  const result = await runJob(video, context());
  expect(result).toMatchObject({ entry: 'master.m3u8', width: 320, height: 180, duration: 8000 });
  expect(result.objects.map(({ name }) => `v/${name}`).sort()).toEqual((await stored('v/')).sort());
  for (const { name, size } of result.objects) {
    expect(statSync(join(root, 'v', name)).size).toBe(size);
  }
  expect(percents.length).toBeGreaterThan(0);
  expect(percents).toEqual([...new Set(percents)].sort((a, b) => a - b));
  expect(percents.every((one) => Number.isInteger(one) && one > 0 && one <= 100)).toBe(true);
  expect(hashes).toEqual([new Bun.CryptoHasher('sha256').update(bytes).digest('hex')]);
  expect(leftovers()).toEqual([]);
});

test('a video in several sizes is told as playable once, and what is stored then stays', async () => {
  const playable: { result: MediaResult; keys: string[]; sizes: number[] }[] = [];
  const order: string[] = [];
  const putFile: ObjectStore['putFile'] = (key, path) => {
    order.push(key);
    return store.putFile(key, path);
  };
  const sizeOf = (key: string) => statSync(join(root, key)).size;
  await Bun.write(join(root, 'up/thumbnail'), await telltale(1, 64, 36).png().toBuffer());
  const job: MediaJob = {
    ...{ kind: 'video', sources: ['up/0', 'up/1'], prefix: 'e/', timelinePreview: true },
    resolutions: [
      { width: 320, height: 180 },
      { width: 160, height: 90 },
    ],
    thumbnail: 'up/thumbnail',
    owner: 'account',
  };
  const onPlayable = (result: MediaResult) => {
    const keys = result.objects.map(({ name }) => `e/${name}`);
    playable.push({ result, keys, sizes: keys.map(sizeOf) });
  };
  const result = await runJob(job, context({ objects: { ...store, putFile }, onPlayable }));
  expect(playable.length).toBe(1);
  const [first] = playable;
  expect(first?.result).toMatchObject({ entry: 'early.m3u8', width: 320, poster: 'poster.webp' });
  expect(first?.keys.at(-1)).toBe('e/early.m3u8');
  expect(result).toMatchObject({ entry: 'master.m3u8', poster: 'poster.webp' });
  expect(result).toMatchObject({ previews: 'previews.vtt' });
  expect(result.objects.map(({ name }) => `e/${name}`).sort()).toEqual((await stored('e/')).sort());
  expect(order.length).toBe(new Set(order).size);
  expect(first?.keys.map(sizeOf)).toEqual(first?.sizes ?? []);
  expect(order.at(-1)).toBe('e/master.m3u8');
  expect(leftovers()).toEqual([]);
});

test('an image becomes one object', async () => {
  const result = await runJob(image, context());
  const { size } = statSync(join(root, 'i/a.webp'));
  expect(result).toEqual({
    objects: [{ name: 'a.webp', size }],
    entry: 'a.webp',
    width: 32,
    height: 48,
    duration: null,
    thumbHash: expect.stringMatching(/^[A-Za-z0-9+/]{20,36}=*$/),
  });
  expect(leftovers()).toEqual([]);
});

test.each(['x'.repeat(250), '../../escape', 'naïve 写真'])(
  'a name such as %s stays a name',
  async (baseName) => {
    const names: string[] = [];
    const putFile: ObjectStore['putFile'] = async (key, path) => {
      names.push(key);
      expect(path).toStartWith(workDir);
      return { size: Bun.file(path).size };
    };
    await runJob({ ...image, baseName, webp: false }, context({ objects: { ...store, putFile } }));
    expect(names).toEqual([`i/${baseName}.jpg`]);
  },
);

test('the entry is stored after everything it refers to', async () => {
  const order: string[] = [];
  let open = 0;
  const putFile: ObjectStore['putFile'] = async (key) => {
    open += 1;
    if (key.endsWith('master.m3u8')) expect(open).toBe(1);
    await Bun.sleep(Math.random() * 10);
    open -= 1;
    order.push(key);
    return { size: 1 };
  };
  await runJob(video, context({ objects: { ...store, putFile } }));
  expect(order.at(-1)).toBe('v/master.m3u8');
  expect(order.length).toBeGreaterThan(4);
});

test('a storage that is away for a moment costs no video that is encoded', async () => {
  let failures = 0;
  const putFile: ObjectStore['putFile'] = async (key, path) => {
    if (failures < 5 && key.endsWith('.m3u8')) {
      failures += 1;
      throw upstreamUnavailable(new Error('ECONNREFUSED'), 'It is away.', 1000);
    }
    return store.putFile(key, path);
  };
  const job = { ...video, prefix: 'patient/' } as VideoJob;
  const result = await runJob(
    job,
    context({ objects: { ...store, putFile }, storageRetryIntervalMs: 1 }),
  );
  expect(failures).toBe(5);
  expect(result.objects.map(({ name }) => `patient/${name}`).sort()).toEqual(
    (await stored('patient/')).sort(),
  );
});

describe('a job that fails leaves no work folder', () => {
  test('because its source is gone', async () => {
    const run = runJob({ ...image, source: 'up/none' }, context());
    await expect(run).rejects.toMatchObject({
      retry: 'never',
      message: 'The uploaded file no longer exists.',
    });
    expect(leftovers()).toEqual([]);
  });

  test('because the store refuses, and stores no entry', async () => {
    const keys: string[] = [];
    const putFile: ObjectStore['putFile'] = async (key) => {
      keys.push(key);
      throw new Error('The store is away.');
    };
    const run = runJob(video, context({ objects: { ...store, putFile } }));
    await expect(run).rejects.toThrow('The store is away.');
    expect(keys.some((key) => key.endsWith('master.m3u8'))).toBe(false);
    expect(leftovers()).toEqual([]);
  });

  test('because it is cancelled while encoding, and leaves no ffmpeg', async () => {
    const abort = new AbortController();
    const cancelled = new Error('cancelled');
    const onProgress = () => abort.abort(cancelled);
    await store.deletePrefix('v/');
    const run = runJob(video, context({ signal: abort.signal, onProgress }));
    await expect(run).rejects.toBe(cancelled);
    expect(processesIn(workDir)).toEqual([]);
    expect(leftovers()).toEqual([]);
    expect(await stored('v/')).toEqual([]);
  });

  test('because it was cancelled before, and reads nothing', async () => {
    const open = () => {
      throw new Error('It was read.');
    };
    const signal = AbortSignal.abort(new Error('cancelled'));
    const run = runJob(image, context({ signal, objects: { ...store, open } }));
    await expect(run).rejects.toThrow('cancelled');
  });
});

test('the work folder can be entered by nobody else', async () => {
  chmodSync(workDir, 0o755);
  const modes: number[] = [];
  const putFile: ObjectStore['putFile'] = async () => {
    modes.push(...readdirSync(workDir).map((name) => statSync(join(workDir, name)).mode & 0o777));
    return { size: 1 };
  };
  await runJob(image, context({ objects: { ...store, putFile } }));
  expect(modes.sort()).toEqual([0o600, 0o700]);
  expect(existsSync(workDir)).toBe(true);
});

test('a video is given up for good at its deadline', async () => {
  const job = { ...video, prefix: 'late/' };
  const encoding = runJob(job, context({ videoTimeoutMs: 1 }));
  await expect(encoding).rejects.toMatchObject({
    retry: 'never',
    message: 'The video took too long to process.',
  });
  expect(leftovers()).toEqual([]);
});

test('a video too slow for the foreground leaves nothing behind, and is made in the background', async () => {
  const job: VideoJob = { ...(video as VideoJob), prefix: 'slow/' };
  let now = 0;
  const slow = context({
    videoCheckIntervalMs: 1,
    monotonicClock: () => {
      now += 10_000;
      return now;
    },
    isAlone: () => false,
  });
  await expect(runJob(job, slow)).rejects.toMatchObject({ retry: 'background' });
  expect(processesIn(workDir)).toEqual([]);
  expect(leftovers()).toEqual([]);
  expect(await stored('slow/')).toEqual([]);
  const { entry } = await runJob({ ...job, isBackground: true }, slow);
  expect(entry).toBe('master.m3u8');
});
