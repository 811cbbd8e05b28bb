import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ffmpeg, run, scratch } from '../testing/clips.ts';
import { encodeHere } from '../testing/encode-here.ts';
import { deinterlacing } from './interlacing.ts';

const folder = scratch();
afterAll(folder.remove);
const at = (name: string) => join(folder.path, name);

/** Its colours are random where they are not given. */
const MOVING = 'gradients=c0=white:c1=black:speed=0.05:seed=1:rate=50:duration=4:size';
const FIELDS = ['-vf', 'tinterlace=interleave_top'];

/** Returns how many frames of a video look interlaced, and how many progressive. */
async function look(path: string) {
  const report = await run(
    ...['ffmpeg', '-nostdin', '-hide_banner', '-i', path, '-vf', 'idet', '-f', 'null', '-'],
  );
  const counts = /Multi frame detection: TFF: *(\d+) BFF: *(\d+) Progressive: *(\d+)/.exec(report);
  const [, top = 0, bottom = 0, progressive = 0] = (counts ?? []).map(Number);
  return { interlaced: top + bottom, progressive };
}

async function encode(source: string): Promise<string> {
  const { width, height, out } = await encodeHere(source);
  return join(out, `${width}x${height}/playlist.m3u8`);
}

const tagged = async (path: string) =>
  (await run('ffprobe', '-v', 'error', '-show_entries', 'stream=field_order', path)).match(
    /field_order=(\w+)/,
  )?.[1];

test.each([
  ['dv.avi', '720x576', ['-pix_fmt', 'yuv420p', '-c:v', 'dvvideo'], 'unknown'],
  ['flagged.ts', '360x288', ['-flags', '+ilme+ildct', '-c:v', 'mpeg2video', '-b:v', '4M'], 'tt'],
  ['wrong.mp4', '128x576', ['-c:v', 'libx264', '-crf', '10'], 'progressive'],
])('%s with interlaced pictures becomes progressive', async (name, size, more, order) => {
  const source = at(name);
  const fields = name === 'dv.avi' ? ['-vf', 'tinterlace=interleave_bottom'] : FIELDS;
  await ffmpeg('-f', 'lavfi', '-i', `${MOVING}=${size}`, ...fields, '-r', '25', ...more, source);
  expect(await tagged(source)).toBe(order);
  expect((await look(source)).interlaced).toBeGreaterThan(70);
  expect(await look(await encode(source))).toMatchObject({ interlaced: 0 });
});

test('of a longer video the middle decides, because titles are often progressive', async () => {
  const source = at('titles.avi');
  const still = 'color=gray:size=160x120:rate=25:duration=8';
  const graph = `[0]tinterlace=interleave_top,fps=25[film];[1][film][2]concat=n=3`;
  await ffmpeg(
    ...['-f', 'lavfi', '-i', `${MOVING.replace('duration=4', 'duration=10')}=160x120`],
    ...['-f', 'lavfi', '-i', still, '-f', 'lavfi', '-i', still],
    ...['-filter_complex', graph, '-c:v', 'mpeg4', '-q:v', '2', source],
  );
  expect(await tagged(source)).toBe('unknown');
  expect((await look(source)).interlaced).toBeGreaterThan(100);
  // A cut from one to the other is noticed after four frames.
  expect((await look(await encode(source))).interlaced).toBeLessThan(5);
});

test('what looks progressive is not filtered, whatever fine patterns look like', () => {
  const none = { filters: [], isInterlaced: false };
  expect(deinterlacing({ tff: 0, bff: 0, progressive: 100 }, null)).toEqual(none);
  expect(deinterlacing({ tff: 40, bff: 25, progressive: 35 }, null)).toEqual(none);
  expect(deinterlacing({ tff: 40, bff: 0, progressive: 60 }, null)).toEqual(none);
  expect(deinterlacing({ tff: 80, bff: 0, progressive: 0 }, false)).toEqual(none);
  expect(deinterlacing({ tff: 0, bff: 0, progressive: 0 }, false)).toEqual(none);
});

test('what looks interlaced is filtered in the order of its fields', () => {
  expect(deinterlacing({ tff: 1, bff: 95, progressive: 0 }, false)).toEqual({
    filters: ['setfield=bff', 'idet', 'bwdif=mode=send_frame:deint=interlaced'],
    isInterlaced: true,
  });
});

test('where nothing moves, the flags of frames decide in a file that does not tell', () => {
  expect(deinterlacing({ tff: 2, bff: 0, progressive: 1 }, null)).toEqual({
    filters: ['bwdif=mode=send_frame:deint=interlaced'],
    isInterlaced: false,
  });
});
