import { expect, test } from 'bun:test';
import { createEncodingRuns, shares } from '../video/encode.ts';
import { type Encode, hlsArguments } from './hls-arguments.ts';
import { h264Level, renditionSizes, sizeName, videoRate } from './renditions.ts';

const encode: Encode = {
  source: '../source',
  width: 1920,
  height: 1080,
  videoIndex: 1,
  audioIndex: 2,
  audioChannels: 2,
  decoder: [],
  filters: [],
  colours: { matrix: 'bt709', transfer: 'bt709', primaries: 'bt709', range: 'tv', lines: 1080 },
  hasZscale: true,
  canDropPackets: true,
  sizes: [
    { width: 1280, height: 720 },
    { width: 640, height: 360 },
    { width: 426, height: 240 },
  ],
  rate: { frames: 30_000, seconds: 1001 },
  threads: 2,
  stillSeconds: 0,
  soundSeconds: 0,
};

const valuesOf = (args: string[], name: string) =>
  args.flatMap((arg, index) => (arg === name ? [args[index + 1]] : []));

test('the input is opened in the sandbox, once', () => {
  const args = hlsArguments(encode);
  expect(valuesOf(args, '-i')).toEqual(['file:../source']);
  expect(valuesOf(args, '-protocol_whitelist')).toEqual(['file']);
  expect(args.indexOf('-format_whitelist')).toBeLessThan(args.indexOf('-i'));
});

test('each size is scaled from the next larger one', () => {
  expect(valuesOf(hlsArguments(encode), '-filter_complex')).toEqual([
    '[0:1]fps=30000/1001:start_time=0,scale=1280:720:flags=bicubic:in_color_matrix=auto:out_color_matrix=bt709:out_range=tv,' +
      'setsar=1,format=yuv420p,setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709,split=2[v0][c1];' +
      '[c1]scale=640:360:flags=bicubic,setsar=1,split=2[v1][c2];' +
      '[c2]scale=426:240:flags=bicubic,setsar=1[v2]',
  ]);
});

test('every output drops metadata, begins a fragment at each key frame and has its own file', () => {
  const args = hlsArguments(encode);
  expect(valuesOf(args, '-map_metadata')).toEqual(['-1', '-1', '-1', '-1']);
  expect(valuesOf(args, '-map_chapters')).toEqual(['-1', '-1', '-1', '-1']);
  expect(new Set(valuesOf(args, '-force_key_frames'))).toEqual(new Set(['expr:gte(t,n_forced*2)']));
  expect(valuesOf(args, '-level:v')).toEqual(['3.1', '3.0', '3.0']);
  expect(valuesOf(args, '-movflags').map((flags) => flags?.includes('frag_keyframe'))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(args.filter((arg) => arg.endsWith('.mp4'))).toEqual([
    '1280x720.mp4',
    '640x360.mp4',
    '426x240.mp4',
    'audio.mp4',
  ]);
});

test('sound is made once, where there is some, apart from the pictures', () => {
  expect(valuesOf(hlsArguments(encode), '-map')).toEqual(['[v0]', '[v1]', '[v2]', '0:2']);
  const silent = hlsArguments({ ...encode, audioIndex: null });
  expect(valuesOf(silent, '-map')).toEqual(['[v0]', '[v1]', '[v2]']);
  expect(silent).not.toContain('-c:a');
});

test('pictures are made whole first', () => {
  const graph = valuesOf(
    hlsArguments({ ...encode, filters: ['idet', 'bwdif'] }),
    '-filter_complex',
  )[0];
  expect(graph).toStartWith('[0:1]idet,bwdif,fps=');
});

const parse = (text: string) => {
  const [width = 0, height = 0] = text.split('x').map(Number);
  return { width, height };
};
test.each([
  ['1920x1080 1280x720 854x480 640x360 426x240', ['640x360', '1920x1080 1280x720 854x480 426x240']],
  ['1280x720 426x240', ['1280x720', '426x240']],
  ['1080x1920 360x640 240x426', ['360x640', '1080x1920 240x426']],
  ['426x240 192x108', ['426x240', '192x108']],
  ['640x360', ['640x360']],
])('of %s the first to watch comes first', (sizes, runs) => {
  const split = createEncodingRuns(sizes.split(' ').map(parse));
  expect(split.map((some) => some.map(sizeName).join(' '))).toEqual(runs);
  const parts = shares(split, parse('1920x1080'));
  expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(1);
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
  [
    'a box turns with a portrait picture',
    { width: 1080, height: 1920 },
    ['1920x1080', '640x360'],
    ['1080x1920', '360x640'],
  ],
  [
    'and one for a portrait picture with a landscape one',
    full,
    ['720x1280', '100x100'],
    ['1280x720', '100x56'],
  ],
  ['a square picture has no side to turn', { width: 500, height: 500 }, ['640x360'], ['360x360']],
  ['no box means the source', full, [], ['1920x1080']],
  ['odd sources lose a line', { width: 321, height: 181 }, ['854x480'], ['320x180']],
  ['a sliver stays visible', { width: 4000, height: 4 }, ['426x240'], ['426x2']],
])('sizes: %s', (_, source, boxes, expected) => {
  expect(renditionSizes(source, boxes.map(parse)).map(sizeName)).toEqual(expected);
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

test.each([
  [3840, 2160, 30, 18_000],
  [1920, 1080, 30, 5_000],
  [1080, 1920, 30, 5_000],
  [1920, 1078, 30, 3_000],
  [1280, 720, 31, 3_000],
  [1280, 720, 50, 4_500],
  [1280, 720, 60, 4_500],
  [854, 480, 30, 1_400],
  [640, 360, 30, 800],
  [426, 240, 25, 450],
  [320, 180, 25, 250],
  [320, 180, 60, 375],
])('%dx%d at %d frames a second has at most %d kbit/s', (width, height, frames, maxrate) => {
  const rate = videoRate({ width, height }, { frames, seconds: 1 });
  expect(rate).toEqual({ maxrate, bufsize: 2 * maxrate });
});

test('an ffmpeg that cannot drop packets by an expression is not asked to', () => {
  const withSound = { ...encode, audioIndex: 1 };
  expect(hlsArguments(withSound)).toContain('-bsf:a');
  expect(hlsArguments({ ...withSound, canDropPackets: false })).not.toContain('-bsf:a');
});
