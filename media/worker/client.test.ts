import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  ImageJob,
  ImageTransformJob,
  MediaJob,
  VideoJob,
} from '../../server/contract/media.ts';
import { SOURCE } from '../decoder/tasks.ts';
import { ffmpeg, makeClip, scratch } from '../testing/clips.ts';
import { telltale } from '../testing/pictures.ts';
import { isRunning, processesIn, until } from '../testing/processes.ts';
import { MediaClient } from './client.ts';

const folder = scratch();
const objects = join(folder.path, 'objects');
const work = join(folder.path, 'work');
const command = [
  process.execPath,
  join(import.meta.dir, '../testing/worker-entry.ts'),
  folder.path,
];
let client = new MediaClient({ command });
afterEach(async () => {
  await client.stop();
  client = new MediaClient({ command });
});
afterAll(folder.remove);

await Bun.write(join(objects, 'up/photo'), await telltale(1).png().toBuffer());
await Bun.write(join(objects, 'up/text'), 'no image');
/** This clip is long enough that its encoding can be interrupted. It repeats another, so it is made fast. */
const shape = { size: '640x360', seconds: 2, sound: false };
const repeated = await makeClip(join(folder.path, 'repeated.mp4'), shape);
const repeat = ['-stream_loop', '29', '-i', repeated, '-c', 'copy'];
await ffmpeg(...repeat, join(folder.path, 'long.mp4'));
await makeClip(join(folder.path, 'short.mp4'), { seconds: 2 });
mkdirSync(join(objects, 'up'), { recursive: true });
for (const name of ['long', 'short']) {
  await Bun.write(join(objects, 'up', name), Bun.file(join(folder.path, `${name}.mp4`)));
}

const image: ImageJob = {
  kind: 'image',
  source: 'up/photo',
  prefix: 'i/',
  baseName: 'a',
  webp: true,
  owner: 'account',
};
const derive = (source: string): ImageTransformJob => ({
  kind: 'transform',
  source,
  prefix: `d/${source}/`,
  baseName: 'a',
  owner: 'bucket',
  transform: {
    ...{ width: 20, height: null, fit: 'scale-down', gravity: 'auto', format: 'webp' },
    ...{ quality: null, blur: 0, sharpen: 0, rotate: 0, background: null },
  },
});
const video = (source: string, isBackground = false): VideoJob => {
  const prefix = `made/${source}/`;
  const more = { owner: 'account', isBackground };
  return { kind: 'video', sources: [source], prefix, resolutions: [], ...more };
};
const run = <Job extends MediaJob>(
  job: Job,
  signal = new AbortController().signal,
  onProgress = (_: number) => {},
) => client.run(job, { signal, onProgress });
/** Makes an image in the background where it was stopped, as a busy machine takes it for a slow one. */
const make = (job: ImageJob) =>
  run(job).catch((error) => {
    if (error.retry !== 'background') throw error;
    return run({ ...job, isBackground: true });
  });
/** Decoders stay for a moment, so they are not counted. */
const tools = () => processesIn(work, 'ffmpeg');
const isClean = () => readdirSync(work).length === 0 && processesIn(work).length === 0;
const decoders = () => processesIn(work, 'decoder/main.ts');
const encoders = () => processesIn(work, 'libx264');
const pidOf = () => client.pid ?? 0;

/** Resolves when the media process has taken all earlier jobs, because it answers this one after them. */
const hasSeenAll = () =>
  expect(run({ kind: 'probe', head: 'up/none', tail: null })).rejects.toThrow();

/** Starts the long video and waits until it is being encoded. */
async function encoding(signal?: AbortSignal) {
  // A busy machine would move it from the foreground to the background.
  const job = run(video('up/long', true), signal);
  job.catch(() => {});
  await until(() => encoders().length === 1);
  return { job };
}

test('nothing runs before the first job', () => {
  expect(client.pid).toBeNull();
});

test('an image and a video are made in another process', async () => {
  const percents: number[] = [];
  const [photo, film] = await Promise.all([
    run(image),
    // A busy machine would move it from the foreground to the background.
    run(video('up/short', true), undefined, (percent) => percents.push(percent)),
  ]);
  expect(photo).toMatchObject({ entry: 'a.webp', width: 48, height: 32, duration: null });
  expect(film).toMatchObject({ entry: 'master.m3u8', width: 320, height: 180, duration: 2000 });
  expect(existsSync(join(objects, 'i/a.webp'))).toBe(true);
  expect(existsSync(join(objects, 'made/up/short/master.m3u8'))).toBe(true);
  expect(percents.length).toBeGreaterThan(0);
  expect(client.pid).not.toBe(process.pid);
});

test('a file that cannot be used fails for good, with a reason', async () => {
  const reason = 'The file is not a readable image.';
  await expect(run({ ...image, source: 'up/text' })).rejects.toMatchObject({
    message: reason,
    retry: 'never',
  });
});

test('an image does not wait for a video', async () => {
  const { job: film } = await encoding();
  expect(await run(image)).toMatchObject({ entry: 'a.webp' });
  await until(() => encoders().length === 1);
  await client.stop();
  await expect(film).rejects.toMatchObject({ retry: 'later' });
});

describe('cancelling', () => {
  test('ends a video in the middle and leaves no ffmpeg and no files', async () => {
    const abort = new AbortController();
    const { job: film } = await encoding(abort.signal);
    abort.abort(new Error('cancelled'));
    await expect(film).rejects.toThrow('cancelled');
    expect(tools()).toEqual([]);
    await until(isClean);
    expect(existsSync(join(objects, 'made/up/long/master.m3u8'))).toBe(false);
    expect(await run(image)).toMatchObject({ entry: 'a.webp' });
  });

  test('ends a video that waits for another at once', async () => {
    const { job: first } = await encoding();
    const abort = new AbortController();
    const second = run(video('up/short'), abort.signal);
    await hasSeenAll();
    // For a moment there is none, between the run for the first rendition and that for the others.
    await until(() => encoders().length === 1);
    abort.abort(new Error('cancelled'));
    await expect(second).rejects.toThrow('cancelled');
    await until(() => encoders().length === 1);
    await client.stop();
    await expect(first).rejects.toMatchObject({ retry: 'later' });
  });

  test('works before the process is ready', async () => {
    const abort = new AbortController();
    const film = run(video('up/long'), abort.signal);
    abort.abort(new Error('cancelled'));
    await expect(film).rejects.toThrow('cancelled');
    expect(await run(image)).toMatchObject({ entry: 'a.webp' });
    expect(tools()).toEqual([]);
  });
});

test('a media process killed with -9 fails its jobs, not for good, and leaves no ffmpeg', async () => {
  const { job: film } = await encoding();
  const killed = pidOf();
  process.kill(killed, 'SIGKILL');
  await expect(film).rejects.toMatchObject({ name: 'MediaFailure', retry: 'limited' });
  await until(() => tools().length === 0);
  await until(() => processesIn(work).length === 0);
  expect(readdirSync(work)).not.toEqual([]);

  expect(await run(image)).toMatchObject({ entry: 'a.webp' });
  expect(pidOf()).not.toBe(killed);
  await until(isClean);
});

describe('a media process that crashes with several jobs', () => {
  /** The store of these tests ends the process that opens this object. */
  const crashing = { ...image, source: 'up/crash' };

  test('costs none of them an attempt, and each goes on by itself', async () => {
    await Bun.write(join(objects, 'up/crash'), 'crash');
    const { job: film } = await encoding();
    await expect(run(crashing)).rejects.toMatchObject({ retry: 'later' });
    await expect(film).rejects.toMatchObject({ retry: 'later' });
    await until(() => tools().length === 0);

    const { job: again } = await encoding();
    await expect(run(crashing)).rejects.toMatchObject({ retry: 'limited' });
    await expect(run(crashing)).rejects.toMatchObject({ retry: 'limited' });
    expect(await run(image)).toMatchObject({ entry: 'a.webp' });
    await until(() => encoders().length === 1);
    await client.stop();
    await expect(again).rejects.toMatchObject({ retry: 'later' });
    await until(isClean);
  });
});

test('a media process that cannot start costs no attempt, of however many jobs', async () => {
  client = new MediaClient({ command: [process.execPath, '-e', 'process.exit(1)'] });
  await expect(run(image)).rejects.toMatchObject({ retry: 'later' });
  expect(client.pid).toBeNull();
  const outcomes = await Promise.allSettled([run(image), run(video('up/short'))]);
  expect(outcomes).toMatchObject([{ reason: { retry: 'later' } }, { reason: { retry: 'later' } }]);
});

test('a media process that cannot start is not started again for each of many jobs', async () => {
  let starts = 0;
  client = new MediaClient({
    command,
    start: (_command, { onExit }) => {
      starts += 1;
      setImmediate(() => onExit(null));
      const kill = () => {};
      return { pid: 1, send: () => {}, disconnect: () => {}, kill, exited: Promise.resolve(1) };
    },
  });
  for (let job = 0; job < 5; job += 1) {
    await expect(run(image)).rejects.toMatchObject({ retry: 'later' });
  }
  expect(starts).toBe(1);
});

test.each([
  // A terminal and service managers send these to all processes.
  ...(['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map((signal) => [signal, 'later'] as const),
  ['SIGKILL', 'limited'],
  ['SIGSEGV', 'limited'],
  [null, 'limited'],
] as const)('a media process that ends by %s settles its only job as %s', async (signal, retry) => {
  client = new MediaClient({
    command,
    start: (_command, { onMessage, onExit }) => {
      setImmediate(() => onMessage({ type: 'ready' }));
      const send = () => void setImmediate(() => onExit(signal));
      const [disconnect, kill] = [() => {}, () => {}];
      return { pid: 1, send, disconnect, kill, exited: Promise.resolve(1) };
    },
  });
  await expect(run(image)).rejects.toMatchObject({ retry });
});

test('stopping ends the process, its jobs and their tools', async () => {
  const { job: film } = await encoding();
  const pid = pidOf();
  await client.stop();
  await expect(film).rejects.toMatchObject({ retry: 'later' });
  expect(isRunning(pid)).toBe(false);
  expect(isClean()).toBe(true);
});

test('an idle process is ended, and started again by the next job', async () => {
  client = new MediaClient({ command, idleMs: 100 });
  await run(image);
  const first = pidOf();
  await until(() => !isRunning(first));
  expect(client.pid).toBeNull();
  await run(image);
  expect(pidOf()).not.toBe(first);
});

test('a process with work is not idle', async () => {
  client = new MediaClient({ command, idleMs: 50 });
  await run(image);
  const { job: film } = await encoding();
  const pid = pidOf();
  await Bun.sleep(300);
  expect(isRunning(pid)).toBe(true);
  await client.stop();
  await expect(film).rejects.toMatchObject({ retry: 'later' });
});

/** A filter takes seconds for each of these on a large area, and libvips can't be stopped within one. */
const slowSvg = `<svg xmlns="http://www.w3.org/2000/svg" width="4096" height="4096"><filter id="f">${'<feTurbulence baseFrequency="0.01" numOctaves="9"/>'.repeat(20)}</filter><rect width="4096" height="4096" filter="url(#f)"/></svg>`;

describe('a drawing that takes too long', () => {
  const large = { ...derive('up/slow'), transform: { ...derive('').transform, width: 4096 } };
  const tooLong = { retry: 'never', message: 'The image took too long to process.' };

  test.each([
    ['as an upload', { ...image, source: 'up/slow' }],
    ['as a generated image', large],
  ])('ends %s, and nothing else: the video goes on', async (_, job) => {
    await Bun.write(join(objects, 'up/slow'), slowSvg);
    client = new MediaClient({ command: [...command, '100'] });
    const { job: film } = await encoding();
    const pid = pidOf();
    const drawings = [0, 1].map((at) => run({ ...job, prefix: `slow/${at}/` }));
    const outcomes = await Promise.allSettled(drawings);
    expect(outcomes).toMatchObject([{ reason: tooLong }, { reason: tooLong }]);
    expect(await run(image)).toMatchObject({ entry: 'a.webp' });
    expect(await run(derive('up/photo'))).toMatchObject({ width: 20 });
    expect(pidOf()).toBe(pid);
    await until(() => encoders().length === 1);
    await client.stop();
    await expect(film).rejects.toMatchObject({ retry: 'later' });
  });

  test('ends at once when its file is deleted', async () => {
    await Bun.write(join(objects, 'up/slow'), slowSvg);
    const abort = new AbortController();
    const drawing = run({ ...image, source: 'up/slow' }, abort.signal);
    await until(() => decoders().length === 1);
    abort.abort(new Error('deleted'));
    await expect(drawing).rejects.toThrow('deleted');
    expect(isClean()).toBe(true);
  });
});

/** Returns the image in a decoder; null where it has none. */
function sourceOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/cwd/${SOURCE}`, 'utf8');
  } catch {
    return null;
  }
}

test('a decoder that dies costs only its own image, not for good', async () => {
  await Bun.write(join(objects, 'up/slow'), slowSvg);
  const { job: film } = await encoding();
  const drawing = run({ ...image, source: 'up/slow' });
  drawing.catch(() => {});
  // The video's poster has a decoder too.
  const drawer = () => decoders().find((pid) => sourceOf(pid) === slowSvg);
  await until(() => drawer() !== undefined);
  process.kill(drawer() ?? 0, 'SIGKILL');
  await expect(drawing).rejects.toMatchObject({ name: 'MediaFailure', retry: 'limited' });
  await until(() => encoders().length === 1);
  await client.stop();
  await expect(film).rejects.toMatchObject({ retry: 'later' });
});

describe('a derivative', () => {
  const IMAGES = 12;

  test('goes before images that wait, which all are made in the end', async () => {
    const large = await telltale(1, 1500, 1000).png().toBuffer();
    await Bun.write(join(objects, 'up/large'), large);
    const finished: string[] = [];
    const images = Array.from({ length: IMAGES }, (_, at) =>
      make({ ...image, source: 'up/large', prefix: `large/${at}/` }).then(() =>
        finished.push('image'),
      ),
    );
    const first = run(derive('up/photo')).then((result) => {
      finished.push('derivative');
      return result;
    });
    expect(await first).toMatchObject({ entry: 'a.webp', width: 20, height: 13 });
    await Promise.all(images);
    // In the order of arrival at most one would be left. Some are done before it is in line.
    expect(finished.indexOf('derivative')).toBeLessThan(IMAGES - 3);
    expect(existsSync(join(objects, 'd/up/photo/a.webp'))).toBe(true);
  });

  test('of which nobody wants to know while it waits is never begun', async () => {
    const abort = new AbortController();
    const large = { ...image, source: 'up/large' };
    const images = [0, 1].map((at) => run({ ...large, prefix: `first/${at}/` }));
    await hasSeenAll();
    const abandoned = run({ ...derive('up/photo'), prefix: 'left/' }, abort.signal);
    abort.abort(new Error('gone'));
    await expect(abandoned).rejects.toThrow('gone');
    await Promise.all(images);
    expect(existsSync(join(objects, 'left'))).toBe(false);
  });
});

test('the media process dies with a server killed by -9, and ffmpeg with it', async () => {
  const server = Bun.spawn(
    [process.execPath, join(import.meta.dir, '../testing/server-entry.ts'), ...command],
    { stdout: 'pipe' },
  );
  const pid = Number(new TextDecoder().decode((await server.stdout.getReader().read()).value));
  await until(() => encoders().length === 1);
  expect(isRunning(pid)).toBe(true);
  server.kill('SIGKILL');
  await until(() => !isRunning(pid) && processesIn(work).length === 0);
});

test('the server’s side never loads sharp', async () => {
  const code = `await import(${JSON.stringify(join(import.meta.dir, 'client.ts'))});
    const maps = await Bun.file('/proc/self/maps').text();
    process.exit(/sharp|vips/.test(maps) ? 1 : 0);`;
  const check = Bun.spawn([process.execPath, '-e', code]);
  expect(await check.exited).toBe(0);
});
