import { expect, test } from 'bun:test';
import { h264Level, videoRate } from './h264.ts';
import { type Encode, hlsArguments } from './hls.ts';
import { renditionSizes } from './renditions.ts';

const encode: Encode = {
  source: '/work/source',
  videoIndex: 1,
  audioIndex: 2,
  interlaced: false,
  sizes: [
    { width: 1280, height: 720 },
    { width: 640, height: 360 },
    { width: 426, height: 240 },
  ],
  rate: { frames: 30_000, seconds: 1001 },
  threads: 2,
};

const valuesOf = (args: string[], name: string) =>
  args.flatMap((arg, index) => (arg === name ? [args[index + 1]] : []));

test('the input is opened in the sandbox, once', () => {
  const args = hlsArguments(encode);
  expect(valuesOf(args, '-i')).toEqual(['file:/work/source']);
  expect(valuesOf(args, '-protocol_whitelist')).toEqual(['file']);
  expect(args.indexOf('-format_whitelist')).toBeLessThan(args.indexOf('-i'));
});

test('each size is scaled from the next larger one', () => {
  expect(valuesOf(hlsArguments(encode), '-filter_complex')).toEqual([
    '[0:1]fps=30000/1001:start_time=0,scale=1280:720:flags=bicubic,setsar=1,format=yuv420p,split=2[v0][c1];' +
      '[c1]scale=640:360:flags=bicubic,setsar=1,format=yuv420p,split=2[v1][c2];' +
      '[c2]scale=426:240:flags=bicubic,setsar=1,format=yuv420p[v2]',
  ]);
});

test('every output drops metadata, forces its key frames and has its own folder', () => {
  const args = hlsArguments(encode);
  expect(valuesOf(args, '-map_metadata')).toEqual(['-1', '-1', '-1']);
  expect(valuesOf(args, '-map_chapters')).toEqual(['-1', '-1', '-1']);
  expect(new Set(valuesOf(args, '-force_key_frames'))).toEqual(new Set(['expr:gte(t,n_forced*2)']));
  expect(valuesOf(args, '-level:v')).toEqual(['3.1', '3.0', '3.0']);
  expect(valuesOf(args, '-hls_segment_filename')).toEqual([
    '1280x720/seg_%05d.m4s',
    '640x360/seg_%05d.m4s',
    '426x240/seg_%05d.m4s',
  ]);
});

test('sound is mapped where there is some and nowhere else', () => {
  expect(valuesOf(hlsArguments(encode), '-map')).toEqual([
    '[v0]',
    '0:2',
    '[v1]',
    '0:2',
    '[v2]',
    '0:2',
  ]);
  const silent = hlsArguments({ ...encode, audioIndex: null });
  expect(valuesOf(silent, '-map')).toEqual(['[v0]', '[v1]', '[v2]']);
  expect(silent).not.toContain('-c:a');
});

test('interlaced pictures are made whole first', () => {
  const graph = valuesOf(hlsArguments({ ...encode, interlaced: true }), '-filter_complex')[0];
  expect(graph).toStartWith('[0:1]bwdif=mode=send_frame:deint=interlaced,fps=');
});

const full = { width: 1920, height: 1080 };
test.each([
  ['the suggested sizes come out as asked', full, ['854x480', '426x240'], ['854x480', '426x240']],
  ['largest first', full, ['640x360', '1280x720'], ['1280x720', '640x360']],
  ['never larger than the source', { width: 320, height: 180 }, ['1920x1080'], ['320x180']],
  [
    'two boxes of one size give one',
    { width: 320, height: 180 },
    ['640x360', '1280x720'],
    ['320x180'],
  ],
  ['the aspect ratio is kept', { width: 720, height: 480 }, ['640x360'], ['540x360']],
  ['no box means the source', full, [], ['1920x1080']],
  ['odd sources lose a line', { width: 321, height: 181 }, ['854x480'], ['320x180']],
  ['a sliver stays visible', { width: 4000, height: 4 }, ['426x240'], ['426x2']],
])('sizes: %s', (_, source, boxes, expected) => {
  const sizes = boxes.map((box) => {
    const [width = 0, height = 0] = box.split('x').map(Number);
    return { width, height };
  });
  expect(renditionSizes(source, sizes).map(({ width, height }) => `${width}x${height}`)).toEqual(
    expected,
  );
});

test.each([
  [1920, 1080, 30, '4.0'],
  [1080, 1920, 30, '4.0'],
  [1920, 1080, 60, '4.2'],
  [1280, 720, 30, '3.1'],
  [1280, 720, 60, '3.2'],
  [854, 480, 25, '3.0'],
  [854, 480, 30, '3.1'],
  [3840, 2160, 30, '5.1'],
  [3840, 2160, 60, '5.2'],
  [4096, 16, 30, '4.0'],
  [4112, 16, 30, '4.2'],
])('%dx%d at %d frames a second is level %s', (width, height, frames, level) => {
  const rate = { frames, seconds: 1 };
  expect(h264Level({ width, height }, rate, videoRate({ width, height }, rate))).toBe(level);
});
