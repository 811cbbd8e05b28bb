import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ffmpeg, scratch } from '../testing/clips.ts';
import { encodeHere } from '../testing/encode-here.ts';

const folder = scratch();
afterAll(folder.remove);

/** Makes 3 seconds of picture with a tone for each of some seconds, and returns its path. */
async function withTones(name: string, seconds: number[], more: string[]): Promise<string> {
  const path = join(folder.path, name);
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=3'],
    ...seconds.flatMap((length) => ['-f', 'lavfi', '-i', `sine=duration=${length}`]),
    ...['-map', '0', ...seconds.flatMap((_, at) => ['-map', String(at + 1)])],
    ...['-preset', 'ultrafast', ...more, path],
  );
  return path;
}

/** Returns the seconds that a playlist tells. */
async function playlistSeconds(path: string): Promise<number> {
  const lengths = (await Bun.file(path).text()).matchAll(/#EXTINF:([\d.]+)/g);
  return [...lengths].reduce((sum, [, length]) => sum + Number(length), 0);
}

const mediaIn = async (out: string) =>
  (await Bun.file(join(out, 'master.m3u8')).text())
    .split('\n')
    .filter((line) => line.startsWith('#EXT-X-MEDIA:'));

test('every audio track is delivered with its language and name, and ends with the picture', async () => {
  const source = await withTones(
    'languages.mkv',
    [3, 1, 5],
    [
      ...['-metadata:s:a:0', 'language=ger', '-metadata:s:a:1', 'language=eng'],
      ...['-metadata:s:a:2', 'language=eng', '-metadata:s:a:2', 'title=Director\'s "cut"'],
      ...['-disposition:a:0', 'default', '-disposition:a:2', 'comment'],
    ],
  );
  const { out, files, loss } = await encodeHere(source, {
    resolutions: [
      { width: 320, height: 180 },
      { width: 160, height: 90 },
    ],
  });
  const media = await mediaIn(out);
  expect(media).toEqual([
    expect.stringContaining('LANGUAGE="de",NAME="Deutsch",DEFAULT=YES,AUTOSELECT=YES'),
    expect.stringContaining('LANGUAGE="en",NAME="English",DEFAULT=NO,AUTOSELECT=YES'),
    expect.stringContaining('LANGUAGE="en",NAME="Director\'s cut",DEFAULT=NO,AUTOSELECT=NO'),
  ]);
  for (const line of media) {
    const uri = /URI="([^"]+)"/.exec(line)?.[1] ?? '';
    expect(Math.abs((await playlistSeconds(join(out, uri))) - 3)).toBeLessThan(0.1);
  }
  expect(files).toContain('audio-2/seg_00000.m4s');
  expect(files).toContain('audio-3/playlist.m3u8');
  expect(loss).toBeUndefined();
});

test('one audio track has no language and no name, as there is nothing to choose', async () => {
  const { out } = await encodeHere(
    await withTones('one.mkv', [3], ['-metadata:s:a:0', 'language=ger']),
  );
  expect(await mediaIn(out)).toEqual([
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Audio",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="audio/playlist.m3u8"',
  ]);
});

test('of more than eight audio tracks the others are left out, and said so', async () => {
  const { out, loss } = await encodeHere(
    await withTones(
      'many.mkv',
      Array.from({ length: 10 }, () => 3),
      [],
    ),
  );
  const names = (await mediaIn(out)).map((line) => /NAME="([^"]+)"/.exec(line)?.[1]);
  expect(names).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((number) => `Audio ${number}`));
  expect(loss).toBe('2 other audio tracks are left out.');
}, 20_000);

test('an audio track without a packet is left out', async () => {
  const source = join(folder.path, 'empty.mkv');
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=3'],
    ...['-f', 'lavfi', '-i', 'sine=duration=3', '-f', 'lavfi', '-i', 'sine,atrim=end=0'],
    ...['-map', '0', '-map', '1', '-map', '2', '-preset', 'ultrafast', source],
  );
  const { out, files, loss } = await encodeHere(source);
  expect(await mediaIn(out)).toHaveLength(1);
  expect(files.filter((file) => file.startsWith('audio-2'))).toEqual([]);
  expect(loss).toBeUndefined();
});

test('an audio track that nothing can decode is named, and the others play', async () => {
  const codecs = ['-c:a:0', 'mp2', '-c:a:1', 'ac3', '-metadata:s:a:1', 'title=Second'];
  const source = await withTones('intact.mkv', [3, 3], codecs);
  const bytes = Buffer.from(await Bun.file(source).bytes());
  // Without its sync word a frame of AC-3 is nothing. The byte after the sizes tells the version.
  for (let at = 0; at >= 0; at = bytes.indexOf('0b77', at + 1, 'hex')) {
    if (bytes[at + 5] === 0x40) bytes.fill(0, at, at + 2);
  }
  const broken = join(folder.path, 'broken.mkv');
  await Bun.write(broken, bytes);
  const { out, loss } = await encodeHere(broken);
  expect(await mediaIn(out)).toHaveLength(1);
  expect(loss).toBe('Damaged audio tracks: Second.');
});
