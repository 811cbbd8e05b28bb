import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTrack } from '../mp4/track.ts';
import { ffmpeg, run, scratch } from '../testing/clips.ts';
import { packageTrack } from './packaging.ts';

const folder = scratch();
afterAll(folder.remove);

/** Encodes seven seconds at 25 frames per second, with a key frame every two seconds. */
async function track(name: string) {
  const out = join(folder.path, name);
  mkdirSync(out);
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=7', '-g', '50'],
    ...['-sc_threshold', '0', '-movflags', '+frag_keyframe+delay_moov+default_base_moof'],
    join(out, 'track.mp4'),
  );
  return out;
}
const packaging = { name: 'v', track: 'track.mp4', fragmentsPerSegment: 3, hasKeyFrames: true };

test('a track becomes segments that together are the track', async () => {
  const out = await track('whole');
  const { fragments } = readTrack(join(out, 'track.mp4'));
  expect(fragments.map(({ duration }) => duration)).toEqual([2, 2, 2, 1]);
  const bytes = Buffer.from(await Bun.file(join(out, 'track.mp4')).bytes());
  const packaged = await packageTrack({ folder: out, ...packaging });
  expect(packaged.files).toEqual([
    'v/init.mp4',
    'v/seg_00000.m4s',
    'v/seg_00001.m4s',
    'v/playlist.m3u8',
    'v/iframes.m3u8',
  ]);
  expect(readdirSync(out)).toEqual(['v']);
  const parts = await Promise.all(
    packaged.files.slice(0, 3).map((name) => Bun.file(join(out, name)).bytes()),
  );
  const joined = Buffer.concat(parts);
  expect(joined.equals(bytes.subarray(0, joined.length))).toBe(true);
  expect(packaged.segments.map(({ bytes }) => bytes)).toEqual(
    parts.slice(1).map(({ length }) => length),
  );
  expect(packaged.segments.map(({ duration }) => duration)).toEqual([6, 1]);
  expect(packaged.codec).toMatch(/^avc1\.[0-9a-f]{6}$/);
});

test('each byte range of the key frames’ playlist is one picture', async () => {
  const out = await track('frames');
  await packageTrack({ folder: out, ...packaging });
  const text = await Bun.file(join(out, 'v/iframes.m3u8')).text();
  expect(text).toContain('#EXT-X-I-FRAMES-ONLY');
  expect(text).toContain('#EXT-X-PLAYLIST-TYPE:VOD');
  const entries = [...text.matchAll(/#EXTINF:([\d.]+),\n#EXT-X-BYTERANGE:(\d+)@(\d+)\n(\S+)/g)];
  expect(entries.map(([, duration]) => Number(duration))).toEqual([2, 2, 2, 1]);
  const init = await Bun.file(join(out, 'v/init.mp4')).bytes();
  for (const [index, [, , length, offset, name]] of entries.entries()) {
    const from = Number(offset);
    const segment = await Bun.file(join(out, 'v', name ?? '')).bytes();
    const range = segment.subarray(from, from + Number(length));
    expect(range.length).toBe(Number(length));
    const segmentPath = join(out, `${index}.mp4`);
    await Bun.write(segmentPath, Buffer.concat([init, range]));
    const probe = JSON.parse(
      await run(
        ...['ffprobe', '-v', 'quiet', '-show_entries', 'frame=pict_type,key_frame,pts_time'],
        ...['-of', 'json', segmentPath],
      ),
    ).frames;
    expect(probe.length).toBe(1);
    expect(probe[0]).toMatchObject({ key_frame: 1, pict_type: 'I' });
    expect(Number(probe[0].pts_time)).toBeCloseTo(index * 2, 2);
    // The header alone shows no picture, so the picture above came from these bytes.
    await Bun.write(segmentPath, Buffer.concat([init, range.subarray(0, 600)]));
    expect(
      (await run('ffprobe', '-v', 'quiet', '-show_frames', segmentPath)).includes('pict_type=I'),
    ).toBe(false);
  }
});

/** Lengths from 5.5 to 6.5 seconds, in frames. */
const LENGTHS = Array.from({ length: 25 }, (_, index) => 138 + index);

test.each<[string, string, string[], number]>([
  ['picture', 'testsrc2=size=64x36:rate=25', ['-g', '50', '-sc_threshold', '0'], 3],
  ['sound', 'sine=sample_rate=48000', ['-c:a', 'aac', '-frag_duration', '6000000'], 1],
])('%s of every length ends without a short segment', async (kind, source, codec, perSegment) => {
  const muxing = kind === 'picture' ? '+frag_keyframe' : '';
  await run(
    ...['ffmpeg', '-nostdin', '-v', 'error', '-f', 'lavfi', '-i', source],
    ...LENGTHS.flatMap((frames) => [
      ...[
        '-t',
        String(frames / 25),
        ...codec,
        '-movflags',
        `+delay_moov+default_base_moof${muxing}`,
      ],
      join(folder.path, `${kind}${frames}.mp4`),
    ]),
  );
  for (const frames of LENGTHS) {
    const name = `${kind}${frames}`;
    const track = { name, track: `${name}.mp4`, fragmentsPerSegment: perSegment };
    await packageTrack({ folder: folder.path, ...track, hasKeyFrames: false });
    const playlist = await Bun.file(join(folder.path, name, 'playlist.m3u8')).text();
    const told = [...playlist.matchAll(/#EXTINF:([\d.]+)/g)].map(([, one]) => Number(one));
    expect(Math.min(...told)).toBeGreaterThanOrEqual(0.45);
    expect(Math.max(...told)).toBeLessThan(6.5);
    const total = told.reduce((sum, one) => sum + one, 0);
    expect(Math.abs(total - frames / 25)).toBeLessThan(kind === 'picture' ? 1e-6 : 0.05);
    expect(playlist).toContain('#EXT-X-TARGETDURATION:6\n');
  }
});

test('one picture lasts as long as its sample', async () => {
  const source = 'testsrc2=size=64x36:rate=25:duration=0.04';
  const flags = '+frag_keyframe+delay_moov+default_base_moof';
  await ffmpeg('-f', 'lavfi', '-i', source, '-movflags', flags, join(folder.path, 'track.mp4'));
  const { segments } = await packageTrack({ folder: folder.path, ...packaging, name: 'one' });
  expect(segments.map(({ duration }) => duration)).toEqual([0.04]);
});

test('a track without a fragment holds no picture', async () => {
  await Bun.write(join(folder.path, 'track.mp4'), Buffer.from('0000000866747970', 'hex'));
  const pending = packageTrack({ folder: folder.path, ...packaging });
  await expect(pending).rejects.toMatchObject({ retry: 'never' });
  await expect(pending).rejects.toThrow('damaged or incomplete');
});

test('a box that claims more than there is ends it, for good', async () => {
  const path = join(folder.path, 'broken.mp4');
  await Bun.write(path, Buffer.from('0000000866747970ffffffff6d6f6f66', 'hex'));
  expect(() => readTrack(path)).toThrow('could not be encoded');
});
