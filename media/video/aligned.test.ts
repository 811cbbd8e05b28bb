import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ffmpeg, run, scratch } from '../testing/clips.ts';
import { encodeHere } from '../testing/encode-here.ts';

const folder = scratch();
afterAll(folder.remove);
const at = (name: string) => join(folder.path, name);

/** Makes a film of pictures and sound of other lengths, in seconds. */
async function film(name: string, seen: number, heard: number): Promise<string> {
  const [picture, sound] = [at(`${name}.picture.mp4`), at(`${name}.m4a`)];
  const source = `testsrc2=size=64x36:rate=25:duration=${seen}`;
  await ffmpeg('-f', 'lavfi', '-i', source, '-preset', 'ultrafast', picture);
  await ffmpeg('-f', 'lavfi', '-i', `sine=duration=${heard}`, '-c:a', 'aac', sound);
  await ffmpeg('-i', picture, '-i', sound, '-c', 'copy', at(name));
  return at(name);
}

async function encode(source: string) {
  const { duration, loss, out } = await encodeHere(source, {
    resolutions: [
      { width: 64, height: 36 },
      { width: 32, height: 18 },
    ],
  });
  const lengths = await Promise.all(
    ['64x36', '32x18', 'audio'].map(async (name) => {
      const text = await Bun.file(join(out, name, 'playlist.m3u8')).text();
      return [...text.matchAll(/#EXTINF:([\d.]+)/g)].reduce((sum, [, one]) => sum + Number(one), 0);
    }),
  );
  return { duration, loss, lengths, master: join(out, 'master.m3u8') };
}

test.each([
  ['ends before the picture', 'short.mp4', 8, 6, 8],
  ['is a single packet', 'packet.mp4', 3, 0.02, 3],
  ['goes on after the picture', 'long.mp4', 2, 5, 5],
  ['comes with one picture', 'music.mp4', 0.04, 7, 7],
  ['comes with one picture, without a declared duration', 'music.mkv', 0.04, 7, 7],
])('sound that %s ends with it', async (_, name, seen, heard, expected) => {
  const { duration, loss, lengths } = await encode(await film(name, seen, heard));
  expect(loss).toBeUndefined();
  expect(Math.abs(duration / 1000 - expected)).toBeLessThan(0.1);
  expect(lengths[0]).toBeCloseTo(duration / 1000, 3);
  expect(lengths[1]).toBe(lengths[0] ?? 0);
  expect(Math.abs((lengths[2] ?? 0) - duration / 1000)).toBeLessThan(0.2);
});

test('silence follows sound that ends first, and the last picture stays while it goes on', async () => {
  const listen = async (name: string, seen: number, heard: number) => {
    const { master } = await encode(await film(name, seen, heard));
    const filters = ['-vf', 'freezedetect=d=1', '-af', 'silencedetect=d=1'];
    return run('ffmpeg', '-nostdin', '-i', master, ...filters, '-f', 'null', '-');
  };
  const early = /silence_start: ([\d.]+)/.exec(await listen('early.mp4', 5, 3))?.[1];
  expect(Math.abs(Number(early) - 3)).toBeLessThan(0.1);
  const still = /freeze_start: ([\d.]+)/.exec(await listen('still.mp4', 3, 5))?.[1];
  // So small a picture changes little from one to the next.
  expect(Math.abs(Number(still) - 3)).toBeLessThan(0.3);
});

test('sound that begins late begins as late as before', async () => {
  const whole = await film('whole.mp4', 4, 2);
  await ffmpeg(
    ...['-i', whole, '-itsoffset', '1.5', '-i', whole, '-map', '0:v', '-map', '1:a'],
    ...['-c', 'copy', at('late.mp4')],
  );
  const { duration, master } = await encode(at('late.mp4'));
  expect(duration).toBe(4000);
  const heard = await run(
    'ffmpeg',
    '-nostdin',
    '-i',
    master,
    '-af',
    'silencedetect=d=0.2',
    '-f',
    'null',
    '-',
  );
  expect(Math.abs(Number(/silence_end: ([\d.]+)/.exec(heard)?.[1]) - 1.5)).toBeLessThan(0.1);
});
