import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Size } from '../../server/contract/media.ts';
import { sharp } from '../image/sharp.ts';
import { ffmpeg, makeClip, scratch } from '../testing/clips.ts';
import { decodeHere } from '../testing/decode-here.ts';
import { SECRETS, telltale } from '../testing/pictures.ts';
import { makePoster } from './poster.ts';
import { probeVideo } from './probe.ts';

const folder = scratch();
afterAll(folder.remove);
const { signal } = new AbortController();
const at = (name: string) => join(folder.path, name);

async function posterOf(source: string, thumbnail: string | null = null, largest?: Size) {
  const out = `${source}.poster`;
  mkdirSync(out);
  const probe = await probeVideo(source, { ffprobe: 'ffprobe', cwd: out, signal });
  const size = largest ?? { width: probe.width, height: probe.height };
  const plan = { probe, size, decoder: [], filters: [], hasZscale: true };
  const work = { source, folder: out, thumbnail, ...plan, decode: decodeHere };
  expect(await makePoster({ ...work, ffmpeg: 'ffmpeg', isBackground: false, signal })).toMatch(
    /^[\w+/=]+$/,
  );
  expect(readdirSync(out)).toEqual(['poster.webp']);
  return join(out, 'poster.webp');
}

const meanOf = async (image: string) =>
  (await sharp(image).stats()).channels.map((one) => one.mean);

test('the first frame that is not black becomes the poster', async () => {
  const source = at('fade.mp4');
  const colours = "color=black:s=320x180:r=25:d=4,drawbox=c=red:t=fill:enable='gte(t,3)'";
  await ffmpeg('-f', 'lavfi', '-i', colours, '-g', '1000', source);
  const poster = await posterOf(source);
  expect(await sharp(poster).metadata()).toMatchObject({ format: 'webp', width: 320, height: 180 });
  const [red = 0, green = 255] = await meanOf(poster);
  expect(red).toBeGreaterThan(200);
  expect(green).toBeLessThan(60);
});

test('a long black beginning is skipped by key frames', async () => {
  const source = at('late.mp4');
  const colours = "color=black:s=160x90:r=10:d=30,drawbox=c=lime:t=fill:enable='gte(t,20)'";
  await ffmpeg('-f', 'lavfi', '-i', colours, '-g', '20', source);
  expect((await meanOf(await posterOf(source)))[1]).toBeGreaterThan(200);
});

test('a black video gets a black poster', async () => {
  const source = at('black.mp4');
  await ffmpeg('-f', 'lavfi', '-i', 'color=black:s=160x90:r=10:d=2', source);
  expect(Math.max(...(await meanOf(await posterOf(source))).slice(0, 3))).toBeLessThan(5);
});

test('a thumbnail goes before the video’s own picture: upright, small, without metadata', async () => {
  const source = await makeClip(at('with.mp4'), { seconds: 1, sound: false });
  const thumbnail = at('thumbnail');
  await Bun.write(thumbnail, await telltale(6, 3000, 2000).jpeg().toBuffer());
  const poster = await posterOf(source, thumbnail);
  expect(await sharp(poster).metadata()).toMatchObject({ width: 853, height: 1280 });
  const bytes = Buffer.from(await Bun.file(poster).bytes());
  for (const secret of SECRETS) expect(bytes.includes(secret)).toBe(false);
});

test('a thumbnail that is no image is no reason to do without a poster', async () => {
  const source = await makeClip(at('bad.mp4'), { seconds: 1, sound: false });
  const thumbnail = at('text');
  await Bun.write(thumbnail, 'no image');
  expect(await sharp(await posterOf(source, thumbnail)).metadata()).toMatchObject({ width: 320 });
});

test('a drawing as thumbnail is not drawn', async () => {
  const source = await makeClip(at('drawing.mp4'), { seconds: 1, sound: false });
  const thumbnail = at('svg');
  await Bun.write(thumbnail, '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  expect(await sharp(await posterOf(source, thumbnail)).metadata()).toMatchObject({ width: 320 });
});

test('a poster has the ratio of the video, whose renditions have even sides', async () => {
  const source = at('wide.mp4');
  await ffmpeg('-f', 'lavfi', '-i', 'color=red:s=1920x800:r=10:d=1', source);
  const poster = await posterOf(source, null, { width: 160, height: 66 });
  expect(await sharp(poster).metadata()).toMatchObject({ width: 160, height: 67 });
});
