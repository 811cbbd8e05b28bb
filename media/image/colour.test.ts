import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { hasFilter } from '../sandbox/ffmpeg.ts';
import { ffmpeg, run, scratch } from '../testing/clips.ts';
import { encodeHere } from '../testing/encode-here.ts';
import { toStandardColours } from './colour.ts';
import { sharp } from './sharp.ts';

const folder = scratch();
afterAll(folder.remove);
const at = (name: string) => join(folder.path, name);

/** Encodes a clip. Returns pixels of its first frame (thirds from left to right) and its colour tags. */
async function encoded(source: string) {
  const { out } = await encodeHere(source);
  const playlist = join(out, '320x180/playlist.m3u8');
  const fields = 'stream=pix_fmt,color_space,color_transfer,color_primaries,color_range';
  const show = ['-v', 'error', '-show_entries', fields, '-of', 'json', playlist];
  const [tags] = JSON.parse(await run('ffprobe', ...show)).streams;
  return {
    tags,
    ...(await thirds(await firstFrame(playlist))),
    poster: (await thirds(join(out, 'poster.webp'))).pixels,
  };
}

async function firstFrame(playlist: string): Promise<string> {
  const frame = `${playlist}.png`;
  const toRgb = 'scale=in_color_matrix=bt709:in_range=tv,format=rgb24';
  await ffmpeg('-i', playlist, '-vf', toRgb, '-frames:v', '1', frame);
  return frame;
}

async function thirds(image: string) {
  const { data } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const pixel = (x: number) => [...data.subarray((90 * 320 + x) * 3, (90 * 320 + x) * 3 + 3)];
  return { pixels: [pixel(50), pixel(160), pixel(270)] };
}

const BT709 = {
  pix_fmt: 'yuv420p',
  color_range: 'tv',
  color_space: 'bt709',
  color_transfer: 'bt709',
  color_primaries: 'bt709',
};

function expectNear(pixel: number[] | undefined, expected: number[], tolerance = 6) {
  const far = expected.some((value, at) => Math.abs(value - (pixel?.[at] ?? -999)) > tolerance);
  if (far) throw new Error(`${pixel} is not near ${expected}`);
}

/**
 * Code values in 10 bits of PQ and HLG for black, HDR's white of 203 candela per square metre and the peak of
 * 1000. ITU-R BT.2390 maps that white to 230 of 255.
 */
const HDR = { smpte2084: [64, 572, 723], 'arib-std-b67': [64, 721, 940] };
const MAPPED_WHITE = 230;

test.each(Object.entries(HDR))(
  'HDR (%s) is brought to SDR: white is white, highlights stay apart',
  async (transfer, codes) => {
    const source = at(`${transfer}.mp4`);
    const [black, white, highlight] = codes;
    const patches = `geq=lum='if(lt(X,W/3),${black},if(lt(X,2*W/3),${white},${highlight}))':cb=512:cr=512`;
    const named = `colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc`;
    await ffmpeg(
      ...['-f', 'lavfi', '-i', 'color=black:s=320x180:r=25:d=1,format=yuv420p10le', '-vf', patches],
      ...['-c:v', 'libx265', '-x265-params', `log-level=error:${named}`, '-color_range', 'tv'],
      ...['-color_primaries', 'bt2020', '-color_trc', transfer, '-colorspace', 'bt2020nc', source],
    );
    const { tags, pixels, poster } = await encoded(source);
    expect(tags).toMatchObject(BT709);
    for (const [dark, bright, brightest] of [pixels, poster]) {
      expectNear(dark, [0, 0, 0]);
      expectNear(bright, [MAPPED_WHITE, MAPPED_WHITE, MAPPED_WHITE]);
      expectNear(brightest, [255, 255, 255]);
    }
  },
  20_000,
);

const PATCHES =
  'color=red:s=320x180:r=25:d=1,format=gbrp,drawbox=x=107:w=107:c=lime:t=fill,drawbox=x=214:w=106:c=blue:t=fill';

test.each([
  ['BT.601', 'scale=out_color_matrix=bt601', ['-colorspace', 'smpte170m']],
  ['BT.601 that does not say so', 'scale=out_color_matrix=bt601', []],
  ['BT.709', 'scale=out_color_matrix=bt709', ['-colorspace', 'bt709']],
  ['full range', 'scale=out_color_matrix=bt601:out_range=pc', ['-color_range', 'pc']],
])('colours of %s stay as they are', async (name, filter, tags) => {
  const source = at(`${name}.mp4`);
  const format = ['-vf', `${filter},format=yuv444p`, '-c:v', 'libx264', '-crf', '5'];
  await ffmpeg('-f', 'lavfi', '-i', PATCHES, ...format, ...tags, source);
  const result = await encoded(source);
  expect(result.tags).toMatchObject(BT709);
  for (const pixels of [result.pixels, result.poster]) {
    expectNear(pixels[0], [255, 0, 0], 12);
    expectNear(pixels[1], [0, 255, 0], 12);
    expectNear(pixels[2], [0, 0, 255], 12);
  }
});

const size = { width: 1920, height: 1080 };
const lines = 1080;
const hdr = { matrix: 'bt2020nc', transfer: 'smpte2084', primaries: 'bt2020', range: 'tv', lines };
const nothing = { matrix: '', transfer: '', primaries: '', range: '' };

test('an ffmpeg without zscale converts at least the matrix of HDR', () => {
  const filters = toStandardColours(hdr, size, false);
  expect(filters).toContain('in_color_matrix=bt2020:out_color_matrix=bt709');
  expect(filters).not.toContain('zscale');
});

test.each([
  ['from 720 lines on is BT.709', 720, 'bt709'],
  ['of fewer lines is BT.601', 718, 'bt601'],
])('a picture without tags %s', (_, lines, matrix) => {
  const filters = toStandardColours({ ...nothing, lines }, size, true);
  expect(filters).toContain(`in_color_matrix=${matrix}:`);
});

/** The green that Chromium shows of these files is 32,192,69, and 20,169,63 with the other matrix. */
test.each([
  ['in portrait', '608x1080', 'bt709', 0],
  ['in landscape', '1080x608', 'bt601', 0],
  ['rotated to landscape', '608x1080', 'bt709', 90],
  ['rotated to portrait', '1080x608', 'bt601', 90],
])(
  'a picture without tags %s has the colours that browsers show',
  async (name, size, matrix, turn) => {
    const flat = at(`flat ${name}.mp4`);
    const source = at(`untagged ${name}.mp4`);
    const green = `color=0x20c040:s=${size}:r=25:d=0.2,format=gbrp,scale=out_color_matrix=${matrix}`;
    await ffmpeg(
      '-f',
      'lavfi',
      '-i',
      `${green},format=yuv420p`,
      '-c:v',
      'libx264',
      '-crf',
      '5',
      flat,
    );
    await ffmpeg('-i', flat, '-c', 'copy', '-metadata:s:v', `rotate=${turn}`, source);
    const video = await encodeHere(source);
    const frame = await firstFrame(join(video.out, `${video.width}x${video.height}/playlist.m3u8`));
    const { data } = await sharp(frame).raw().toBuffer({ resolveWithObject: true });
    expectNear([...data.subarray(0, 3)], [32, 192, 64]);
  },
);

test('which filters an ffmpeg has is asked, not assumed', async () => {
  expect(await hasFilter('ffmpeg', 'scale')).toBe(true);
  expect(await hasFilter('ffmpeg', 'scal')).toBe(false);
  expect(await hasFilter('/nonexistent/ffmpeg', 'scale')).toBe(false);
}, 20_000);
