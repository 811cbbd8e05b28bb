import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { sharp } from '../image/sharp.ts';
import { ffmpeg, scratch } from '../testing/clips.ts';
import { encodeHere } from '../testing/encode-here.ts';
import { previewCues, tileSize } from './previews.ts';

const folder = scratch();
afterAll(folder.remove);

test('a video gets sheets of small pictures, each named by a cue of its own time', async () => {
  const source = join(folder.path, 'colours.mp4');
  // The clip is red, green from the fourth second on, and blue from the eighth.
  const colours =
    "color=red:s=320x180:r=25:d=11,drawbox=c=lime:t=fill:enable='gte(t,4)',drawbox=c=blue:t=fill:enable='gte(t,8)'";
  await ffmpeg('-f', 'lavfi', '-i', colours, source);
  const { out, ...video } = await encodeHere(source, { timelinePreview: true });
  expect(video.previews).toBe('previews.vtt');
  expect(video.files.filter((name) => name.startsWith('previews'))).toEqual([
    'previews/sheet_000.webp',
    'previews.vtt',
  ]);
  const sheet = join(out, 'previews/sheet_000.webp');
  expect(await sharp(sheet).metadata()).toMatchObject({ format: 'webp', width: 960, height: 90 });

  const text = await Bun.file(join(out, 'previews.vtt')).text();
  expect(text).toStartWith('WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n');
  const cues = [...text.matchAll(/previews\/sheet_000\.webp#xywh=(\d+),(\d+),(\d+),(\d+)/g)];
  expect(cues.length).toBe(6);
  const strongest = await Promise.all(
    cues.map(async ([, ...numbers]) => {
      const [left = 0, top = 0, width = 0, height = 0] = numbers.map(Number);
      const part = sharp(sheet).extract({ left, top, width, height });
      const { channels } = await sharp(await part.png().toBuffer()).stats();
      const means = channels.map(({ mean }) => mean);
      return means.indexOf(Math.max(...means));
    }),
  );
  expect(strongest).toEqual([0, 0, 1, 1, 2, 2]);
  expect(text).toEndWith(
    '00:00:10.000 --> 00:00:11.000\npreviews/sheet_000.webp#xywh=800,0,160,90\n',
  );
});

describe('cues', () => {
  const keyFrames = (count: number) =>
    Array.from({ length: count }, () => ({ duration: 2, bytes: 1 }));
  const tile = { width: 160, height: 90 };

  test('go on the next row after ten, on the next sheet after a hundred', () => {
    const lines = previewCues(keyFrames(101), 1, 101, tile).split('\n');
    expect(lines.filter((line) => line.includes('#xywh=1440,'))[0]).toEndWith(
      '#xywh=1440,0,160,90',
    );
    expect(lines[2 + 10 * 3 + 1]).toBe('previews/sheet_000.webp#xywh=0,90,160,90');
    expect(lines[2 + 100 * 3 + 1]).toBe('previews/sheet_001.webp#xywh=0,0,160,90');
  });

  test('of a long video last longer and end with it', () => {
    const text = previewCues(keyFrames(5400), 18, 300, tile);
    expect(text.match(/-->/g)?.length).toBe(300);
    expect(text).toContain('00:00:36.000 --> 00:01:12.000');
    expect(text).toContain('--> 03:00:00.000');
  });
});

test.each([
  ['1920x1080', '160x90'],
  ['720x1280', '160x284'],
  ['426x2', '160x2'],
  ['100x4000', '8x320'],
])('pictures of %s are %s', (size, expected) => {
  const [width = 0, height = 0] = size.split('x').map(Number);
  const tile = tileSize({ width, height });
  expect(`${tile.width}x${tile.height}`).toBe(expected);
});
