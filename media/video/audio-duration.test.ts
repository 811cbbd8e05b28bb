import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { isPermanent } from '../../server/contract/failure.ts';
import { ffmpeg, makeClip, run, scratch } from '../testing/clips.ts';
import { probeAudioDuration } from './audio-duration.ts';

const folder = scratch();
afterAll(folder.remove);

const { signal } = new AbortController();
const durationOf = (path: string) =>
  probeAudioDuration(path, { ffprobe: 'ffprobe', cwd: folder.path, signal });

async function makeTone(name: string, ...options: string[]): Promise<string> {
  const path = join(folder.path, name);
  await ffmpeg('-f', 'lavfi', '-i', 'sine=frequency=440:duration=3', ...options, path);
  return path;
}

test.each(['mp3', 'm4a', 'wav', 'flac', 'ogg', 'aac', 'mka', 'aiff'])(
  'a tone of three seconds as %p lasts for three seconds',
  async (ending) => {
    const duration = (await durationOf(await makeTone(`tone.${ending}`))) ?? 0;
    expect(Number.isInteger(duration)).toBe(true);
    expect(Math.abs(duration - 3000)).toBeLessThan(120);
  },
);

test('an MP3 whose bit rate varies is measured, where it does not say how long it is', async () => {
  const quiet = 'aevalsrc=0:d=20';
  const loud = 'anoisesrc=d=2:a=0.9';
  const path = join(folder.path, 'varying.mp3');
  const joined = ['-filter_complex', '[0][1]concat=n=2:v=0:a=1', '-q:a', '0', '-write_xing', '0'];
  await ffmpeg('-f', 'lavfi', '-i', quiet, '-f', 'lavfi', '-i', loud, ...joined, path);
  const guess = await run('ffprobe', '-v', 'error', '-show_entries', 'format=duration', path);
  expect(Math.abs(Number(/duration=(.*)/.exec(guess)?.[1]) - 22)).toBeGreaterThan(1);
  expect(Math.abs(((await durationOf(path)) ?? 0) - 22_000)).toBeLessThan(200);
});

test('a picture of the cover is not what plays', async () => {
  const cover = join(folder.path, 'cover.png');
  await ffmpeg('-f', 'lavfi', '-i', 'color=size=64x64:duration=1', '-frames:v', '1', cover);
  const song = await makeTone('song.mp3');
  const path = join(folder.path, 'covered.mp3');
  await run('ffmpeg', '-v', 'error', '-i', song, '-i', cover, '-map', '0', '-map', '1', path);
  expect(Math.abs(((await durationOf(path)) ?? 0) - 3000)).toBeLessThan(120);
});

test('a video without audio has no length of audio', async () => {
  const path = join(folder.path, 'silent.mp4');
  const clip = await makeClip(join(folder.path, 'clip.mp4'), { seconds: 1 });
  await run('ffmpeg', '-v', 'error', '-i', clip, '-an', '-c', 'copy', path);
  expect(await durationOf(path)).toBeNull();
});

test('a declared length that no recording has is unknown', async () => {
  const path = await makeTone('long.flac', '-ar', '8000');
  const bytes = await Bun.file(path).bytes();
  expect(await durationOf(path)).toBe(3000);
  // FLAC, STREAMINFO: the number of samples are the last 36 bits before its MD5.
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setUint8(21, view.getUint8(21) | 0x0f);
  view.setUint32(22, 0xffff_ffff);
  await Bun.write(path, bytes);
  expect(await durationOf(path)).toBeNull();
});

test.each([
  ['no audio', 'This is no audio at all.'],
  ['a playlist', '#EXTM3U\n#EXTINF:3,\nfile:///etc/passwd\n'],
  ['a list of other files', "ffconcat version 1.0\nfile '/etc/passwd'\n"],
])('a file that is %s fails for good', async (_, text) => {
  const path = join(folder.path, 'broken.mp3');
  await Bun.write(path, text);
  const result = await durationOf(path).catch((error) => isPermanent(error));
  expect(result === true || result === null).toBe(true);
});
