import { afterAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MediaJob } from '../../server/contract/media.ts';
import { isTorture } from '../../tests/support/fixtures/torture.ts';
import { MediaFailure } from '../media-failure.ts';
import { makeClip, scratch } from '../testing/clips.ts';
import { malformed, seeded } from '../testing/mutations.ts';
import { animation, telltale } from '../testing/pictures.ts';
import { processesIn, until } from '../testing/processes.ts';
import { MediaClient } from './client.ts';

const COUNT = isTorture ? 500 : 20;
/** Before the test's own limit of ten minutes, which would hide what took so long. */
const LIMIT = 540_000;
const SEED = 20_261_121;

const folder = scratch();
const objects = join(folder.path, 'objects');
const work = join(folder.path, 'work');
const entry = join(import.meta.dir, '../testing/worker-entry.ts');
const client = new MediaClient({ command: [process.execPath, entry, folder.path] });
afterAll(async () => {
  await client.stop();
  folder.remove();
});

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><g fill="#f00"><!-- c --><path d="M0 0L9 9z"/></g></svg>`;
const clip = async (name: string, ...more: string[]) => {
  const path = await makeClip(join(folder.path, name), { size: '160x90', seconds: 1, more });
  return Bun.file(path).bytes();
};
const images: Record<string, Uint8Array> = {
  jpeg: await telltale(6, 64, 48).jpeg().toBuffer(),
  progressive: await telltale(6, 64, 48).jpeg({ progressive: true }).toBuffer(),
  png: await telltale(6, 64, 48).png().toBuffer(),
  webp: await telltale(6, 64, 48).webp().toBuffer(),
  gif: await (await animation()).toBuffer(),
  svg: Buffer.from(svg),
};
const videos: Record<string, Uint8Array> = {
  mp4: await clip('a.mp4'),
  fragmented: await clip('b.mp4', '-movflags', 'frag_keyframe+empty_moov'),
  matroska: await clip('c.mkv'),
  webm: await clip('d.webm', '-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libvorbis'),
  transport: await clip('e.ts'),
  avi: await clip('f.avi'),
};

/** Images and videos alternate; each is of the next kind with the next damage. */
const random = seeded(SEED);
const cases = Array.from({ length: COUNT }, (_, index) => {
  const isImage = index % 2 === 0;
  const kinds = Object.entries(isImage ? images : videos);
  const [name = '', bytes = new Uint8Array()] = kinds[Math.floor(index / 2) % kinds.length] ?? [];
  return { title: `${index}: ${name}`, isImage, bytes: malformed(bytes, random) };
});

test.each(cases.map((one) => [one.title, one] as const))(
  'malformed file %s ends in success or with a reason',
  async (title, { isImage, bytes }) => {
    const [key, prefix] = [`up/${title}`, `made/${title}/`];
    await Bun.write(join(objects, key), bytes);
    const job: MediaJob = isImage
      ? {
          ...{ kind: 'image', source: key, prefix, baseName: 'a', owner: 'account' },
          webp: bytes.length % 2 === 0,
        }
      : {
          ...{ kind: 'video', sources: [key], prefix, timelinePreview: true, owner: 'account' },
          // A busy machine would move it from the foreground to the background.
          isBackground: true,
          resolutions: [
            { width: 160, height: 90 },
            { width: 80, height: 45 },
          ],
        };
    const before = client.pid;
    const outcome = await client
      .run(job, { signal: AbortSignal.timeout(LIMIT), onProgress: () => {} })
      .catch((error: unknown) => error);
    if (outcome instanceof MediaFailure) {
      // A temporary failure would mean that the process was lost, or that the fault was ours.
      expect(outcome.retry).toBe('never');
      expect(outcome.message).toMatch(/^[A-Z][^/]*\.$/);
      expect(await Bun.file(join(objects, prefix, 'master.m3u8')).exists()).toBe(false);
    } else if (outcome instanceof Error) {
      throw outcome;
    } else {
      expect(outcome).toMatchObject({ width: expect.any(Number), objects: expect.any(Array) });
    }
    expect(client.pid).toBe(before ?? client.pid);
    expect(processesIn(work, 'ffmpeg')).toEqual([]);
    await until(() => readdirSync(work).length === 0);
  },
);

test('the same seed makes the same files, and another makes others', () => {
  const png = images.png ?? new Uint8Array();
  const one = malformed(png, seeded(1));
  expect(Buffer.compare(one, malformed(png, seeded(1)))).toBe(0);
  expect(Buffer.compare(one, malformed(png, seeded(2)))).not.toBe(0);
  expect(Buffer.compare(one, png)).not.toBe(0);
});
