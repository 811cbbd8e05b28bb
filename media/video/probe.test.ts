import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { makeClip, scratch } from '../testing/clips.ts';
import { probeVideo } from './probe.ts';

const folder = scratch();
afterAll(folder.remove);

test('no track is taken to be longer than its file, whatever its tag says', async () => {
  const path = join(folder.path, 'source');
  const clip = await makeClip(join(folder.path, 'clip.mkv'), { seconds: 1 });
  const text = Buffer.from(await Bun.file(clip).bytes()).toString('latin1');
  const forged = text.replaceAll(/00:00:01\.\d{9}/g, (time) => `09${time.slice(2)}`);
  expect(forged).not.toBe(text);
  await Bun.write(path, Buffer.from(forged, 'latin1'));
  const { signal } = new AbortController();
  const probe = await probeVideo(path, { ffprobe: 'ffprobe', cwd: folder.path, signal });
  expect(probe.durationMs).toBeLessThan(2000);
  expect(probe.declaredMs.picture).toBeLessThan(2000);
  expect(probe.declaredMs.sound).toBeLessThan(2000);
});

/** Returns the path of a clip with metadata in the format of ffmpeg. */
async function clipWithMetadata(name: string, metadata: string) {
  const clip = await makeClip(join(folder.path, `${name}.mkv`), { seconds: 1 });
  const described = join(folder.path, `${name}.txt`);
  await Bun.write(described, `;FFMETADATA1\n${metadata}`);
  const path = join(folder.path, name);
  const copied = Bun.spawnSync([
    ...['ffmpeg', '-v', 'error', '-i', clip, '-i', described, '-map', '0', '-map_metadata', '1'],
    ...['-map_chapters', '1', '-c', 'copy', '-f', 'matroska', path],
  ]);
  expect(copied.stderr.toString()).toBe('');
  return path;
}

test('the tags of a film are no reason to refuse it, however large they are', async () => {
  const path = await clipWithMetadata('tags', `comment=${'x'.repeat(1_500_000)}\n`);
  const { signal } = new AbortController();
  const probe = await probeVideo(path, { ffprobe: 'ffprobe', cwd: folder.path, signal });
  expect(probe.leftOut).toEqual([]);
});

test('a film with more chapters than can be read is refused for good', async () => {
  const chapters = Array.from(
    { length: 40_000 },
    (_, n) => `[CHAPTER]\nTIMEBASE=1/100000\nSTART=${n}\nEND=${n + 1}\n`,
  );
  const path = await clipWithMetadata('chapters', chapters.join(''));
  const { signal } = new AbortController();
  await expect(
    probeVideo(path, { ffprobe: 'ffprobe', cwd: folder.path, signal }),
  ).rejects.toMatchObject({ retry: 'never', message: 'The video has too many chapters.' });
});
