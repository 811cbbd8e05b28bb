import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ffmpeg, makeClip, run, scratch } from '../testing/clips.ts';
import { probeVideo } from '../video/probe.ts';
import { sandboxedInput } from './ffmpeg.ts';

const folder = scratch();
let requests = 0;
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => {
    requests += 1;
    return new Response('seen');
  },
});
afterAll(() => {
  server.stop(true);
  folder.remove();
});

const signal = new AbortController().signal;
const hls = (uri: string) =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9.0,\n${uri}\n#EXT-X-ENDLIST\n`;
const dash = (uri: string) =>
  `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT9S"><Period><AdaptationSet><Representation id="0" bandwidth="1" mimeType="video/mp4"><BaseURL>${uri}</BaseURL></Representation></AdaptationSet></Period></MPD>`;
const concat = (uri: string) => `ffconcat version 1.0\nfile '${uri}'\n`;

const outside = await makeClip(join(folder.path, 'outside.mp4'), { seconds: 1, sound: false });
const targets = {
  'a system file': 'file:///etc/passwd',
  'a video outside its folder': `file://${outside}`,
  'an http address': `http://127.0.0.1:${server.port}/internal.ts`,
};

describe.each(Object.entries({ hls, dash, concat }))(
  'a playlist (%s) called .mp4',
  (kind, write) => {
    test.each(Object.entries(targets))('that points at %s is refused unopened', async (_, uri) => {
      const path = join(folder.path, `${kind}.mp4`);
      await Bun.write(path, write(uri));
      const probed = probeVideo(path, { ffprobe: 'ffprobe', cwd: folder.path, signal });
      await expect(probed).rejects.toMatchObject({ name: 'MediaFailure', retry: 'never' });
      const decoded = ffmpeg(...sandboxedInput(path), '-f', 'null', '-');
      await expect(decoded).rejects.toThrow();
      expect(requests).toBe(0);
    });
  },
);

test('the same playlist opens without the sandbox, so the tests above can fail', async () => {
  const path = join(folder.path, 'plain.mp4');
  await Bun.write(path, concat(outside.slice(folder.path.length + 1)));
  await run('ffprobe', '-v', 'error', path);
  await expect(run('ffprobe', '-v', 'error', ...sandboxedInput(path))).rejects.toThrow();
});
