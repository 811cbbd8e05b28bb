import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ffmpeg, makeClip, scratch } from '../testing/clips.ts';
import { encodeHere } from '../testing/encode-here.ts';

const folder = scratch();
afterAll(folder.remove);
const at = (name: string) => join(folder.path, name);

const PLAYLIST = '#EXTM3U\n#EXTINF:9.0,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n';

describe('what is not a video is refused for good, and leaves nothing behind', () => {
  const refusals: [string, () => Promise<unknown>, RegExp][] = [
    [
      'sound.m4a',
      () => ffmpeg('-f', 'lavfi', '-i', 'sine=duration=1', at('sound.m4a')),
      /audio but no video/,
    ],
    [
      'unfinished.mp4',
      async () => {
        const clip = Buffer.from(await Bun.file(await makeClip(at('finished.mp4'))).bytes());
        await Bun.write(at('unfinished.mp4'), clip.subarray(0, clip.lastIndexOf('moov') - 4));
      },
      /The video is incomplete\. Export/,
    ],
    ['text.mp4', () => Bun.write(at('text.mp4'), 'not a video'), /isn't a supported video/],
    ['empty.mp4', () => Bun.write(at('empty.mp4'), ''), /isn't a supported video/],
    ['playlist.mp4', () => Bun.write(at('playlist.mp4'), PLAYLIST), /isn't a supported video/],
    [
      'still.mp4',
      () => ffmpeg('-f', 'lavfi', '-i', 'color=d=0.04', '-f', 'image2', at('still.mp4')),
      /isn't a supported video/,
    ],
  ];
  test.each(refusals)('%s', async (name, make, reason) => {
    await make();
    const encoded = encodeHere(at(name));
    await expect(encoded).rejects.toMatchObject({ name: 'MediaFailure', retry: 'never' });
    await expect(encoded).rejects.toThrow(reason);
    expect(await Array.fromAsync(new Bun.Glob('**').scan(`${at(name)}.out`))).toEqual([]);
  });

  test('a video cut off before its first frame', async () => {
    const fullClip = await makeClip(at('whole.mkv'), { sound: false, more: ['-c:v', 'libx264'] });
    const cut = at('cut.mkv');
    const bytes = Buffer.from(await Bun.file(fullClip).bytes());
    // The file ends at the Matroska element in which frames begin.
    await Bun.write(cut, bytes.subarray(0, bytes.indexOf('1f43b675', 0, 'hex')));
    await expect(encodeHere(cut)).rejects.toMatchObject({ name: 'MediaFailure', retry: 'never' });
  });
});
