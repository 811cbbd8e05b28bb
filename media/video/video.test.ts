import { afterAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Size } from '../../server/contract/media.ts';
import { ffmpeg, makeClip, run, scratch } from '../testing/clips.ts';
import { encodeHere } from '../testing/encode-here.ts';
import type { EncodedVideo, VideoWork } from './video.ts';

const folder = scratch();
afterAll(folder.remove);
const signal = new AbortController().signal;
const tools = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' };
const at = (name: string) => join(folder.path, name);

async function encode(source: string, resolutions: Size[] = [], more: Partial<VideoWork> = {}) {
  const progress: number[] = [];
  const playable: EncodedVideo[] = [];
  const { out, ...video } = await encodeHere(source, {
    ...{ resolutions, tools, signal },
    onProgress: (done) => progress.push(done),
    onPlayable: async (one) => void playable.push(one),
    ...more,
  });
  const files = [...playable.flatMap((one) => one.files), ...video.files];
  const master = await Bun.file(join(out, 'master.m3u8')).text();
  return { ...video, out, progress, playable, files, master };
}

/** Decodes every rendition to the end. Any message of the decoder fails the test. */
async function expectPlayable(out: string, master = 'master.m3u8') {
  const report = await run(
    ...['ffmpeg', '-v', 'error', '-nostdin', '-i', join(out, master)],
    ...['-map', '0', '-f', 'null', '-'],
  );
  expect(report).toBe('');
}

async function keyFrames(playlist: string): Promise<number[]> {
  const text = await run(
    ...['ffprobe', '-v', 'error', '-select_streams', 'v', '-skip_frame', 'nokey'],
    ...['-show_entries', 'frame=pts_time', '-of', 'csv=p=0', playlist],
  );
  const times = text.split('\n').map(Number.parseFloat).filter(Number.isFinite);
  return times.map((time) => Math.round((time - (times[0] ?? 0)) * 100) / 100);
}

async function streamOf(playlist: string) {
  const fields = 'stream=width,height,sample_aspect_ratio,r_frame_rate,pix_fmt,profile,level';
  const text = await run(
    ...['ffprobe', '-v', 'error', '-select_streams', 'v', '-show_entries', fields],
    ...['-of', 'json', playlist],
  );
  return JSON.parse(text).streams[0];
}

async function kinds(playlist: string): Promise<string[]> {
  const show = ['-v', 'error', '-show_entries', 'stream=codec_type', '-of', 'json'];
  const { streams } = JSON.parse(await run('ffprobe', ...show, playlist));
  return streams.map((stream: { codec_type: string }) => stream.codec_type);
}

test('a video with sound becomes every size asked for, cut at key frames', async () => {
  const source = await makeClip(at('sound.mp4'), {
    seconds: 13,
    more: ['-metadata', 'location=+52.5-013.4/', '-metadata', 'title=Secret'],
  });
  const encoded = await encode(source, [
    { width: 160, height: 90 },
    { width: 1920, height: 1080 },
    { width: 1280, height: 720 },
  ]);
  expect(encoded).toMatchObject({
    width: 320,
    height: 180,
    duration: 13_000,
    entry: 'master.m3u8',
  });
  expect(encoded.files.filter((name) => name.endsWith('.m3u8'))).toEqual([
    'audio/playlist.m3u8',
    '320x180/playlist.m3u8',
    '320x180/iframes.m3u8',
    'early.m3u8',
    '160x90/playlist.m3u8',
    '160x90/iframes.m3u8',
    'master.m3u8',
  ]);
  expect(encoded.files.at(-1)).toBe('master.m3u8');
  const onDisk = await Array.fromAsync(new Bun.Glob('**').scan(encoded.out));
  expect(onDisk.sort()).toEqual([...encoded.files].sort());

  const line =
    /BANDWIDTH=(\d+),AVERAGE-BANDWIDTH=(\d+),RESOLUTION=320x180,FRAME-RATE=25\.000,CODECS="avc1\.64001e,mp4a\.40\.2",VIDEO-RANGE=SDR,AUDIO="audio",CLOSED-CAPTIONS=NONE\n320x180\/playlist\.m3u8\n/;
  const [, peak, mean] = line.exec(encoded.master) ?? [];
  expect(Number(peak)).toBeGreaterThanOrEqual(Number(mean));
  const stored = ['320x180', 'audio'].flatMap((name) =>
    encoded.files.filter((file) => file.startsWith(`${name}/seg_`)),
  );
  const bytes = stored.reduce((sum, file) => sum + Bun.file(join(encoded.out, file)).size, 0);
  expect(Math.abs(Number(mean) / ((bytes * 8) / 13) - 1)).toBeLessThan(0.01);

  for (const name of ['320x180', '160x90', 'audio']) {
    const text = await Bun.file(join(encoded.out, name, 'playlist.m3u8')).text();
    const lengths = [...text.matchAll(/#EXTINF:([\d.]+)/g)].map((match) => Number(match[1]));
    expect(lengths.map(Math.round)).toEqual([6, 6, 1]);
    expect(text).toContain('#EXT-X-PLAYLIST-TYPE:VOD');
    expect(text).toContain('#EXT-X-INDEPENDENT-SEGMENTS');
    expect(text).toContain('#EXT-X-MAP:URI="init.mp4"');
    expect(text).not.toContain('/');
  }
  for (const size of ['320x180', '160x90']) {
    const path = join(encoded.out, size, 'playlist.m3u8');
    expect(await keyFrames(path)).toEqual([0, 2, 4, 6, 8, 10, 12]);
    expect(await kinds(path)).toEqual(['video']);
  }
  expect(await kinds(join(encoded.out, 'audio/playlist.m3u8'))).toEqual(['audio']);
  expect(encoded.progress.at(-1)).toBeGreaterThan(0.9);
  expect(encoded.progress).toEqual([...encoded.progress].sort((a, b) => a - b));
  await expectPlayable(encoded.out);
  const init = await Bun.file(join(encoded.out, '320x180/init.mp4')).text();
  expect(init).not.toContain('52.5');
  expect(init).not.toContain('Secret');
});

test('no stored segment of a second has more bits per second than its bandwidth tells', async () => {
  const picture = 'color=gray:s=320x180:r=25:d=8';
  // Only the last second of the picture is hard to encode.
  const noise = "noise=alls=60:allf=t:enable='gte(t,7)'";
  const source = at('peak.mp4');
  await ffmpeg('-f', 'lavfi', '-i', picture, '-vf', noise, '-preset', 'ultrafast', source);
  const { out, master } = await encode(source);
  const peakOf = async (playlist: string) => {
    const text = await Bun.file(join(out, '320x180', playlist)).text();
    const entries = text.matchAll(/#EXTINF:([\d.]+),\n(?:#EXT-X-BYTERANGE:(\d+)@\d+\n)?(\S+)/g);
    const rates = [...entries].map(([, seconds, length, name = '']) => {
      const bytes = length ? Number(length) : Bun.file(join(out, '320x180', name)).size;
      return (bytes * 8) / Number(seconds);
    });
    return Math.max(...rates);
  };
  const told = (tag: string) => Number(new RegExp(`${tag}:BANDWIDTH=(\\d+)`).exec(master)?.[1]);
  expect(told('STREAM-INF')).toBeGreaterThanOrEqual(await peakOf('playlist.m3u8'));
  expect(told('I-FRAME-STREAM-INF')).toBeGreaterThanOrEqual(await peakOf('iframes.m3u8'));
});

test('one size can be watched before the others are begun', async () => {
  const source = await makeClip(at('early.mp4'), { size: '854x480', seconds: 3 });
  const published: { video: EncodedVideo; names: string[]; progress: number }[] = [];
  let progress = 0;
  const out = `${source}.out`;
  const sizes = [
    { width: 854, height: 480 },
    { width: 640, height: 360 },
    { width: 426, height: 240 },
  ];
  const encoded = await encode(source, sizes, {
    onProgress: (done) => (progress = done),
    onPlayable: async (playable) => {
      const names = await Array.fromAsync(new Bun.Glob('**').scan(out));
      expect(names.sort()).toEqual([...playable.files].sort());
      await expectPlayable(out, 'early.m3u8');
      published.push({ video: playable, names, progress });
      // Publishing moves the files away too, so the second run can't use them.
      for (const name of playable.files) rmSync(join(out, name));
    },
  });
  expect(published.length).toBe(1);
  const [first] = published;
  expect(first?.video).toMatchObject({
    ...{ entry: 'early.m3u8', width: 854, height: 480, duration: 3000, poster: 'poster.webp' },
  });
  expect(first?.names).toContain('640x360/playlist.m3u8');
  expect(first?.names).toContain('audio/playlist.m3u8');
  expect(first?.names.some((name) => /^(854|426|master)/.test(name))).toBe(false);
  expect(first?.progress).toBeLessThan(0.7);
  expect(progress).toBeGreaterThan(0.9);
  const variants = [...encoded.master.matchAll(/^(\d+x\d+)\/playlist/gm)].map((match) => match[1]);
  expect(variants).toEqual(['854x480', '640x360', '426x240']);
});

test('a video without sound plays and claims no sound', async () => {
  const encoded = await encode(await makeClip(at('silent.mp4'), { sound: false }));
  expect(encoded.master).toContain('CODECS="avc1.64001e",');
  expect(encoded.master).not.toContain('AUDIO');
  expect(encoded.files.some((name) => name.startsWith('audio/'))).toBe(false);
  await expectPlayable(encoded.out);
});

test('a video turned by its metadata is stored upright', async () => {
  const flat = await makeClip(at('flat.mp4'), { sound: false });
  const turned = at('turned.mp4');
  await ffmpeg('-i', flat, '-c', 'copy', '-metadata:s:v:0', 'rotate=90', turned);
  const encoded = await encode(turned, [{ width: 90, height: 160 }]);
  expect(encoded).toMatchObject({ width: 90, height: 160 });
  const probed = await run('ffprobe', '-show_streams', join(encoded.out, '90x160/playlist.m3u8'));
  expect(probed).not.toContain('rotation');
  await expectPlayable(encoded.out);
});

test('odd sides become even', async () => {
  const more = ['-c:v', 'libx264', '-pix_fmt', 'yuv444p'];
  const encoded = await encode(await makeClip(at('odd.mkv'), { size: '321x181', more }));
  expect(encoded).toMatchObject({ width: 320, height: 180 });
  const stream = await streamOf(join(encoded.out, '320x180/playlist.m3u8'));
  expect(stream.pix_fmt).toBe('yuv420p');
  await expectPlayable(encoded.out);
});

test('a variable frame rate becomes constant', async () => {
  const source = at('variable.mkv');
  await makeClip(source, {
    seconds: 5,
    rate: 30,
    more: ['-vf', "select='if(lt(t,2),1,not(mod(n,4)))'", '-fps_mode', 'vfr'],
  });
  const encoded = await encode(source);
  const playlist = join(encoded.out, '320x180/playlist.m3u8');
  expect((await streamOf(playlist)).r_frame_rate).toBe('30/1');
  expect(await keyFrames(playlist)).toEqual([0, 2, 4]);
  await expectPlayable(encoded.out);
});

test('of several sound tracks the default one comes first', async () => {
  const source = at('tracks.mkv');
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=2'],
    ...['-f', 'lavfi', '-i', 'sine=frequency=300:duration=2'],
    ...['-f', 'lavfi', '-i', 'sine=frequency=3000:duration=2'],
    ...['-map', '0', '-map', '1', '-map', '2'],
    ...['-disposition:a:0', '0', '-disposition:a:1', 'default', source],
  );
  const encoded = await encode(source);
  const sound = join(encoded.out, 'audio/playlist.m3u8');
  const level = async (filter: string) => {
    const report = await run(
      ...['ffmpeg', '-nostdin', '-i', sound, '-af', `${filter},volumedetect`, '-f', 'null', '-'],
    );
    return Number(/mean_volume: (-?[\d.]+) dB/.exec(report)?.[1]);
  };
  expect(await level('highpass=f=2000')).toBeGreaterThan((await level('lowpass=f=1000')) + 10);
  expect(encoded.loss).toBeUndefined();
});

test('sound that cannot be decoded is left out', async () => {
  const source = await makeClip(at('mute.mkv'), { more: ['-c:a', 'mp2'] });
  const bytes = await Bun.file(source).bytes();
  const name = Buffer.from(bytes.buffer).indexOf('A_MPEG/L2');
  bytes.set(Buffer.from('A_MPEG/L9'), name);
  await Bun.write(source, bytes);
  const encoded = await encode(source);
  expect(encoded.master).not.toContain('AUDIO');
  expect(encoded.loss).toBe("The video's audio could not be read.");
  await expectPlayable(encoded.out);
});

test('picture and sound begin together', async () => {
  const source = at('clap.mp4');
  // One white frame and one click, both at the third second.
  await ffmpeg(
    ...[
      '-f',
      'lavfi',
      '-i',
      "color=black:s=320x180:r=25:d=5,drawbox=c=white:t=fill:enable='eq(n,75)'",
    ],
    ...['-f', 'lavfi', '-i', "aevalsrc='if(between(t,3,3.01),0.9*sin(6000*t),0)':s=48000:d=5"],
    ...['-c:v', 'libx264', '-c:a', 'aac', source],
  );
  const encoded = await encode(source);
  const master = join(encoded.out, 'master.m3u8');
  const report = await run(
    ...['ffmpeg', '-nostdin', '-i', master, '-vf', 'blackdetect=d=0.01:pix_th=0.5'],
    ...['-af', 'silencedetect=noise=-30dB:d=0.5', '-f', 'null', '-'],
  );
  const flash = Number(/black_end:([\d.]+)/.exec(report)?.[1]);
  const click = Number(/silence_end: ([\d.]+)/.exec(report)?.[1]);
  // ffmpeg counts from the first sound sample, which the encoder has put before the beginning.
  expect(Math.abs(flash - 3)).toBeLessThan(0.03);
  expect(Math.abs(click - flash)).toBeLessThan(0.01);
});

test('sound that changes its format lasts as long as its packets', async () => {
  const parts = await Promise.all(
    [4, 2].map(async (seconds, index) => {
      const part = at(`part${index}.mp2`);
      const tone = `sine=duration=${seconds}:sample_rate=${index === 0 ? 44_100 : 48_000}`;
      await ffmpeg('-f', 'lavfi', '-i', tone, '-ac', String(index + 1), '-c:a', 'mp2', part);
      return Bun.file(part).bytes();
    }),
  );
  await Bun.write(at('changing.mp2'), Buffer.concat(parts));
  const picture = await makeClip(at('picture.mp4'), { size: '64x36', seconds: 6, sound: false });
  const source = at('changing.mkv');
  await ffmpeg('-i', picture, '-i', at('changing.mp2'), '-c', 'copy', source);
  const { out } = await encode(source);
  const playlist = join(out, 'audio/playlist.m3u8');
  const text = await Bun.file(playlist).text();
  const told = [...text.matchAll(/#EXTINF:([\d.]+)/g)].reduce(
    (sum, [, one]) => sum + Number(one),
    0,
  );
  const show = ['-v', 'error', '-count_packets', '-show_entries', 'stream=nb_read_packets'];
  const packets = Number.parseInt(await run('ffprobe', ...show, '-of', 'csv=p=0', playlist), 10);
  expect(Math.abs((packets * 1024) / 48_000 - told)).toBeLessThan(0.05);
  expect(Math.abs(told - 6)).toBeLessThan(0.1);
  await expectPlayable(out);
});

test('120 frames a second become 60', async () => {
  const encoded = await encode(await makeClip(at('fast.mp4'), { rate: 120, seconds: 2 }));
  expect(encoded.master).toContain('FRAME-RATE=60.000');
  await expectPlayable(encoded.out);
});

test('30 frames a second are told as 30 where milliseconds moved their mean to 30.02', async () => {
  const more = ['-frames:v', '32', '-video_track_timescale', '1000'];
  const encoded = await encode(await makeClip(at('mean.mov'), { rate: 30, sound: false, more }));
  expect(encoded.master).toContain('FRAME-RATE=30.000');
  expect((await streamOf(join(encoded.out, '320x180/playlist.m3u8'))).r_frame_rate).toBe('30/1');
});

test('4:5 fits into a wide box, which turns', async () => {
  const source = await makeClip(at('tall.mp4'), { size: '192x240' });
  const encoded = await encode(source, [{ width: 213, height: 120 }]);
  expect(encoded).toMatchObject({ width: 120, height: 150 });
  await expectPlayable(encoded.out);
});

test('pixels that are not square are made square', async () => {
  const source = await makeClip(at('pal.mp4'), { size: '180x144', more: ['-vf', 'setsar=64/45'] });
  const encoded = await encode(source);
  expect(encoded).toMatchObject({ width: 256, height: 144 });
  const stream = await streamOf(join(encoded.out, '256x144/playlist.m3u8'));
  expect(stream.sample_aspect_ratio).toBe('1:1');
});

test('WebM with VP8 and Vorbis, written live without a duration, works', async () => {
  const source = at('live.webm');
  const more = ['-c:v', 'libvpx', '-c:a', 'libvorbis', '-live', '1', '-deadline', 'realtime'];
  const encoded = await encode(await makeClip(source, { more }));
  expect(Math.abs(encoded.duration - 3000)).toBeLessThan(100);
  await expectPlayable(encoded.out);
});

test('the duration is that of the playlist, whatever the container declares', async () => {
  const path = await makeClip(at('declared.mkv'), { size: '64x36', seconds: 4, sound: false });
  const bytes = Buffer.from(await Bun.file(path).bytes());
  // The element Duration of Matroska (RFC 9559, 5.1.2.10) is a float of eight bytes in milliseconds.
  const at14 = bytes.indexOf(Buffer.from('448988', 'hex'));
  expect(bytes.readDoubleBE(at14 + 3)).toBe(4000);
  bytes.writeDoubleBE(14_000, at14 + 3);
  await Bun.write(path, bytes);
  const encoded = await encode(path, [
    { width: 64, height: 36 },
    { width: 32, height: 18 },
  ]);
  expect(encoded.playable.map(({ duration }) => duration)).toEqual([4000]);
  expect(encoded.duration).toBe(4000);
});

test('sound that goes on after the last picture counts in the duration', async () => {
  const source = at('outlasting.mkv');
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc2=size=64x36:rate=25:duration=1'],
    ...['-f', 'lavfi', '-i', 'sine=duration=3', source],
  );
  expect(Math.abs((await encode(source)).duration - 3000)).toBeLessThan(100);
});

test('a video cut off later gives what can be decoded', async () => {
  const longClip = await makeClip(at('long.mkv'), { seconds: 6 });
  const cut = at('half.mkv');
  const bytes = await Bun.file(longClip).bytes();
  await Bun.write(cut, bytes.subarray(0, Math.floor(bytes.length / 2)));
  await expectPlayable((await encode(cut)).out);
});
