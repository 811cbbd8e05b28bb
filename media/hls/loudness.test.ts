import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ffmpeg, run, scratch } from '../testing/clips.ts';
import { encodeHere } from '../testing/encode-here.ts';

const folder = scratch();
afterAll(folder.remove);

/** Returns the peak of the encoded sound of a tone that every channel has, where 1 is full scale. */
async function peakOf(channels: string, amplitude: number): Promise<number> {
  const source = join(folder.path, `${channels}.mkv`);
  const count = { mono: 1, stereo: 2, '5.1': 6, '7.1': 8 }[channels] ?? 0;
  const tone = Array(count).fill(`${amplitude}*sin(880*PI*t)`).join('|');
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'color=s=64x36:r=25:d=2', '-f', 'lavfi'],
    ...['-i', `aevalsrc=exprs='${tone}':channel_layout=${channels}:s=48000:d=2`],
    ...['-c:a', 'pcm_f32le', source],
  );
  const { out } = await encodeHere(source);
  const report = await run(
    ...['ffmpeg', '-nostdin', '-hide_banner', '-i', join(out, 'audio/playlist.m3u8')],
    ...['-af', 'astats=measure_perchannel=none', '-f', 'null', '-'],
  );
  return 10 ** (Number(/Peak level dB: (-?[\d.]+)/.exec(report)?.[1]) / 20);
}

test('one channel is as loud in two', async () => {
  const [mono, stereo] = [await peakOf('mono', 0.5), await peakOf('stereo', 0.5)];
  expect(mono).toBeCloseTo(stereo, 1);
  expect(mono).toBeGreaterThan(0.45);
});

test.each(['5.1', '7.1'])('%s at full scale does not clip, and stays loud', async (channels) => {
  const peak = await peakOf(channels, 0.9);
  expect(peak).toBeLessThanOrEqual(1);
  expect(peak).toBeGreaterThan(0.8);
});
