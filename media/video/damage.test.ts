import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ffmpeg, makeClip, run, scratch } from '../testing/clips.ts';
import { encodeHere } from '../testing/encode-here.ts';
import { seeded } from '../testing/mutations.ts';
import { DecodingLog } from './damage.ts';

const folder = scratch();
afterAll(folder.remove);
const at = (name: string) => join(folder.path, name);

const warningOf = async (source: string) => (await encodeHere(source)).loss;

const CLIP = ['-g', '25', '-movflags', '+faststart'];
const clip = (name: string, seconds = 4, more: string[] = []) =>
  makeClip(at(name), { size: '160x90', seconds, more: [...CLIP, ...more] });

/** Copies a file with other bytes. */
async function change(source: string, name: string, edit: (bytes: Buffer) => Buffer) {
  const bytes = Buffer.from(await Bun.file(source).bytes());
  await Bun.write(at(name), edit(bytes));
  return at(name);
}

type Packet = { pos: string; size: string; flags: string };
/** Returns the places of the packets of a stream. */
async function packetsOf(path: string, stream: string): Promise<Packet[]> {
  const show = ['-select_streams', stream, '-show_entries', 'packet=pos,size,flags'];
  return JSON.parse(await run('ffprobe', '-v', 'error', ...show, '-of', 'json', path)).packets;
}

/** Overwrites some packets with noise, from the byte `from` on. */
const spoil = (bytes: Buffer, packets: Packet[], from = 0) => {
  const random = seeded(packets.length);
  for (const { pos, size } of packets) {
    for (let at = from; at < Number(size); at += 1) bytes[Number(pos) + at] = random() * 256;
  }
  return bytes;
};

const figuresOf = (warning = '') =>
  [...warning.matchAll(/\d+\.\d/g)].map(([figure]) => Number(figure));

test('a track of sound without a packet is no damage', async () => {
  const source = at('silent.mkv');
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=25:duration=2'];
  await ffmpeg(...picture, '-f', 'lavfi', '-i', 'sine=duration=2,atrim=end=0', source);
  expect(await warningOf(source)).toBeUndefined();
});

test.each([
  [0.5, 1.2, 2.6],
  [0.12, 0.1, 0.9],
])('a video of which %d is there tells how much of it could be read', async (share, min, max) => {
  const whole = await clip(`whole${share}.mp4`);
  const cut = await change(whole, `cut${share}.mp4`, (bytes) => {
    const data = bytes.indexOf('mdat');
    return bytes.subarray(0, data + Math.floor((bytes.length - data) * share));
  });
  const warning = await warningOf(cut);
  expect(warning).toMatch(/^The video is damaged\. \d\.\d of 4\.0 seconds could be read\.$/);
  const [read] = figuresOf(warning);
  expect(read).toBeGreaterThanOrEqual(min);
  expect(read).toBeLessThanOrEqual(max);
});

test('a cut Matroska file is short of what its tags tell', async () => {
  const whole = await clip('whole.mkv');
  const cut = await change(whole, 'cut.mkv', (bytes) => bytes.subarray(0, bytes.length / 2));
  expect(await warningOf(cut)).toMatch(/^The video is damaged\. [12]\.\d of 4\.0 seconds/);
});

test('pictures of noise count as lost, although the video lasts as long as before', async () => {
  const whole = await clip('clear.mp4');
  const packets = await packetsOf(whole, 'v');
  const noisy = await change(whole, 'noisy.mp4', (bytes) => spoil(bytes, packets.slice(50), 60));
  const warning = await warningOf(noisy);
  const [read = 0, total] = figuresOf(warning);
  expect(total).toBe(4);
  expect(read).toBeLessThan(3.9);
});

test('one key frame that is lost is told', async () => {
  const whole = await clip('keys.mp4');
  const [, second] = (await packetsOf(whole, 'v')).filter(({ flags }) => flags.includes('K'));
  const spoilt = await change(whole, 'key.mp4', (bytes) => spoil(bytes, second ? [second] : []));
  expect(await warningOf(spoilt)).toMatch(/^The video is damaged\. 3\.\d of 4\.0 seconds/);
});

test('sound that is damaged alone is told', async () => {
  const whole = await clip('tone.mp4');
  const packets = await packetsOf(whole, 'a');
  const spoilt = await change(whole, 'noise.mp4', (bytes) => spoil(bytes, packets.slice(60, 120)));
  expect(await warningOf(spoilt)).toMatch(
    /^The video's audio is damaged\. [23]\.\d of 4\.0 seconds/,
  );
});

const copy = (source: string, name: string, ...options: string[]) =>
  ffmpeg(...options, '-i', source, '-c', 'copy', at(name)).then(() => at(name));

test.each<[string, () => Promise<string>]>([
  [
    'with a variable frame rate',
    async () => {
      const more = ['-vf', "select='lt(t,2)+eq(n,60)+eq(n,90)'", '-fps_mode', 'vfr'];
      return clip('vfr.mp4', 4, more);
    },
  ],
  ['cut by an edit list', async () => copy(await clip('edited.mp4', 5), 'edit.mp4', '-ss', '1.3')],
  [
    'whose picture begins late',
    async () => copy(await clip('l.mp4'), 'late.mkv', '-itsoffset', '1'),
  ],
  [
    'with longer sound',
    async () => {
      await ffmpeg(
        ...['-f', 'lavfi', '-i', 'testsrc2=size=64x36:rate=25:duration=2'],
        ...['-f', 'lavfi', '-i', 'sine=duration=4', at('longer.avi')],
      );
      return at('longer.avi');
    },
  ],
  [
    'recorded live',
    async () => {
      const more = ['-c:v', 'libvpx', '-c:a', 'libvorbis', '-live', '1', '-deadline', 'realtime'];
      return makeClip(at('recorded.webm'), { size: '160x90', more });
    },
  ],
  ['in a transport stream', async () => copy(await clip('t.mp4'), 't.ts')],
  [
    'of one picture and sound',
    async () => {
      const picture = await makeClip(at('one.mp4'), { size: '64x36', seconds: 0.04, sound: false });
      await ffmpeg(
        ...['-i', picture, '-f', 'lavfi', '-i', 'sine=duration=3', '-c:v', 'copy', at('one.mkv')],
      );
      return at('one.mkv');
    },
  ],
  ['of few pictures', () => makeClip(at('slow.mov'), { size: '64x36', rate: 1, seconds: 4 })],
])('an intact video %s has no warning', async (_, make) => {
  expect(await warningOf(await make())).toBeUndefined();
});

test('the log of a newer ffmpeg is understood too', () => {
  const log = new DecodingLog();
  const from = '[vist#0:1/h264 @ 0x55d0]';
  for (const line of [
    `${from} [dec:h264 @ 0x55d1] [error] Error submitting packet to decoder: Invalid data found`,
    `${from} [dec:h264 @ 0x55d1] [warning] corrupt decoded frame`,
    '[in#0/mov @ 0x55] [verbose]   Input stream #0:1 (video): 90 packets read (7 bytes); 80 frames decoded; 1 decode errors;',
    '[info]       title           : [error] Error while decoding stream #0:1',
  ]) {
    log.read(line);
  }
  expect(log.stream(1)).toEqual({ packets: 90, frames: 80, failures: 2 });
});

test('totals are understood where another thread logs between their parts', () => {
  const log = new DecodingLog();
  for (const line of [
    '[verbose]   Input stream #0:1 (audio): Statistics: 27201 bytes read, 0 seeks',
    '[verbose] 90 packets read (7 bytes); Reinit context to 64x48, pix_fmt: yuv420p',
    '[verbose] 80 frames decoded (81920 samples); ',
    '[verbose]   Input stream #0:2 (audio): 131 packets read (5855 bytes); 130 frames decoded; ',
    '[verbose]   Total: 221 packets (9013 bytes) demuxed',
    '[verbose]   Output stream #0:0 (audio): 141 frames encoded; 142 packets muxed (48179 bytes); ',
  ]) {
    log.read(line);
  }
  expect(log.stream(1)).toEqual({ packets: 90, frames: 80, failures: 0 });
  expect(log.stream(2)).toEqual({ packets: 131, frames: 130, failures: 0 });
});

test('subtitles, which can be longer, and chapters are named as left out, with their languages', async () => {
  const subtitles = at('lines.srt');
  await Bun.write(subtitles, '1\n00:00:01,000 --> 00:00:09,000\nHello\n');
  const chapters = at('chapters.txt');
  const chapter = (start: number) => `[CHAPTER]\nTIMEBASE=1/1\nSTART=${start}\nEND=${start + 1}\n`;
  await Bun.write(chapters, `;FFMETADATA1\n${chapter(0)}${chapter(1)}`);
  const picture = await clip('picture.mp4', 2);
  const source = at('languages.mkv');
  await ffmpeg(
    ...['-i', picture, '-i', subtitles, '-i', subtitles, '-i', chapters, '-map_metadata', '3'],
    ...['-map', '0', '-map', '1', '-map', '2', '-c', 'copy', '-map_chapters', '3'],
    ...['-metadata:s:s:0', 'language=eng', '-metadata:s:s:1', 'language=ger', source],
  );
  expect(await warningOf(source)).toBe('2 subtitle tracks (eng, ger) and chapters are left out.');
});
