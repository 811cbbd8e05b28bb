import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ffmpeg, makeClip, scratch } from '../testing/clips.ts';
import { probeSize, probeVideo } from './probe.ts';
import { findPicture, findSound, findSounds, refuseDolbyVision, type Stream } from './streams.ts';

const folder = scratch();
afterAll(folder.remove);
const at = (name: string) => join(folder.path, name);
const options = { ffprobe: 'ffprobe', cwd: folder.path, signal: new AbortController().signal };

const picture = (index: number, size: string, more: Partial<Stream> = {}): Stream => {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return { index, codec_type: 'video', codec_name: 'h264', width, height, ...more };
};
const preferred = { disposition: { default: 1 } };

describe('the film is', () => {
  test.each([
    ['the default one', [picture(0, '1920x1080'), picture(1, '1280x720', preferred)], 1],
    ['the first of equal ones', [picture(0, '640x360'), picture(1, '640x360')], 0],
    ['the largest one without a default', [picture(0, '640x360'), picture(1, '1280x720')], 1],
    ['not a small default one', [picture(0, '160x90', preferred), picture(1, '1280x720')], 1],
    [
      'not attached cover art',
      [
        picture(0, '3000x3000', { disposition: { attached_pic: 1, default: 1 } }),
        picture(1, '64x36'),
      ],
      1,
    ],
    [
      'not cover art that is not marked as such',
      [picture(0, '3000x3000', { codec_name: 'png', ...preferred }), picture(1, '640x360')],
      1,
    ],
    [
      'not a single picture',
      [picture(0, '3000x3000', { nb_frames: '1' }), picture(1, '640x360')],
      1,
    ],
    ['Motion JPEG where that is all', [picture(0, '640x480', { codec_name: 'mjpeg' })], 0],
    ['not one without a size', [picture(0, '0x0', preferred), picture(1, '640x360')], 1],
  ])('%s', (_, streams, index) => {
    expect(findPicture(streams).index).toBe(index);
  });
});

test('a preview before the film is not the film, nor is its size', async () => {
  const source = at('preview.mkv');
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc=size=160x90:rate=1:duration=2'],
    ...['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25:duration=2'],
    ...['-map', '0', '-map', '1', '-preset', 'ultrafast', source],
  );
  expect(await probeVideo(source, options)).toMatchObject({ width: 640, height: 360 });
  expect(await probeSize(source, options)).toEqual({ width: 640, height: 360 });
});

const audio = (index: number, disposition: Stream['disposition'] = {}): Stream => {
  return {
    index,
    codec_type: 'audio',
    codec_name: 'aac',
    sample_rate: '48000',
    channels: 2,
    disposition,
  };
};

describe('the sound is', () => {
  test.each<[string, Stream[], number]>([
    ['the default one', [audio(1), audio(2, { default: 1 })], 2],
    ['the first of several default ones', [audio(1, { default: 1 }), audio(2, { default: 1 })], 1],
    ['no commentary', [audio(1, { comment: 1 }), audio(2)], 2],
    ['no description', [audio(1, { visual_impaired: 1 }), audio(2), audio(3)], 2],
    ['a commentary where there is nothing else', [audio(1, { comment: 1 })], 1],
    ['one that can be decoded', [{ ...audio(1, { default: 1 }), codec_name: 'none' }, audio(2)], 2],
  ])('%s', (_, streams, index) => {
    expect(findSound(findSounds(streams))?.index).toBe(index);
  });
});

/** Adds a Dolby Vision configuration to the sample entry of an MP4 whose index is at its end. */
async function withDolbyVision(source: string, profile: number, compatibility: number) {
  const file = Buffer.from(await Bun.file(source).bytes());
  const box = Buffer.alloc(32);
  box.writeUInt32BE(box.length);
  box.write('dvcC', 4, 'latin1');
  // Version 1.0, profile, level 1 and the layers that exist: metadata and base.
  box.set([1, 0, profile << 1, (1 << 3) | 0b101, compatibility << 4], 8);
  const config = file.indexOf('avcC', 0, 'latin1') - 4;
  for (const name of ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd', 'avc1']) {
    const start = file.lastIndexOf(name, config, 'latin1') - 4;
    file.writeUInt32BE(file.readUInt32BE(start) + box.length, start);
  }
  const end = config + file.readUInt32BE(config);
  const path = `${source}.${profile}.${compatibility}.mp4`;
  await Bun.write(path, Buffer.concat([file.subarray(0, end), box, file.subarray(end)]));
  return path;
}

test('Dolby Vision that nothing else can show is refused, other Dolby Vision is not', async () => {
  const clip = await makeClip(at('dolby.mp4'), { seconds: 1, sound: false });
  const alone = await withDolbyVision(clip, 5, 0);
  const refusal = { name: 'MediaFailure', retry: 'never' };
  const reason =
    "Dolby Vision without a compatible base layer isn't supported. Export the video as HDR10 or SDR.";
  await expect(probeVideo(alone, options)).rejects.toMatchObject(refusal);
  await expect(probeSize(alone, options)).rejects.toThrow(reason);
  const withHdr10 = await withDolbyVision(clip, 8, 1);
  expect(await probeVideo(withHdr10, options)).toMatchObject({ width: 320, height: 180 });
  const av1 = { dv_profile: 10, dv_bl_signal_compatibility_id: 0 };
  expect(() => refuseDolbyVision(picture(0, '64x36', { side_data_list: [av1] }))).toThrow(reason);
});
