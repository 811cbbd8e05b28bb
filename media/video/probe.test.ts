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
