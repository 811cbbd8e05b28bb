import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharp } from '../../media/image/sharp.ts';
import { scene } from '../clip/scene.ts';

const ROOT = join(import.meta.dir, '../..');
const CLIP = join(ROOT, 'server/web/assets/clip');
const PHOTO = join(ROOT, 'server/features/landing/red-panda.jpg');

/** Names of pictures, each with the second of the landing page's clip that it shows. */
const PICTURES: [string, number][] = [
  ['harbour-at-dawn.jpg', 0.4],
  ['first-ferry.jpg', 2],
  ['gulls.jpg', 3.4],
  ['north-pier.jpg', 4.8],
  ['crane-at-noon.jpg', 6],
  ['container.jpg', 7.6],
  ['evening.jpg', 9.2],
  ['harbour-at-night.jpg', 11.2],
];

type Media = { name: string; bytes: Uint8Array };

/** Draws the pictures of the demo, and adds the landing page's photo. */
export async function demoPictures(): Promise<Media[]> {
  const drawn = PICTURES.map(async ([name, seconds]) => ({
    name,
    bytes: await sharp(Buffer.from(scene(seconds)))
      .jpeg({ quality: 88 })
      .toBuffer(),
  }));
  return [...(await Promise.all(drawn)), { name: 'red-panda.jpg', bytes: await readFile(PHOTO) }];
}

/**
 * Returns the landing page's clip as one MP4, without encoding it again: the initialization and the
 * segments of a track form a fragmented MP4, and ffmpeg puts both tracks into one file.
 */
export async function demoVideo(ffmpeg: string): Promise<Media> {
  const work = await mkdtemp(join(tmpdir(), 'wharf-demo-'));
  try {
    const inputs = await Promise.all(
      ['960x540', 'audio'].map(async (track) => {
        const path = join(work, `${track}.mp4`);
        await writeFile(path, await trackOf(join(CLIP, track)));
        return path;
      }),
    );
    const output = join(work, 'clip.mp4');
    const child = Bun.spawn(
      [
        ...[ffmpeg, '-hide_banner', '-loglevel', 'error'],
        ...inputs.flatMap((path) => ['-i', path]),
        ...['-c', 'copy', output],
      ],
      { stdout: 'ignore', stderr: 'pipe' },
    );
    const complaint = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(`ffmpeg failed:\n${complaint}`);
    return { name: 'a-day-in-the-harbour.mp4', bytes: await readFile(output) };
  } finally {
    await rm(work, { recursive: true });
  }
}

async function trackOf(folder: string): Promise<Uint8Array> {
  const segments = [...new Bun.Glob('seg_*.m4s').scanSync(folder)].sort();
  const parts = await Promise.all(
    ['init.mp4', ...segments].map((name) => readFile(join(folder, name))),
  );
  return Buffer.concat(parts);
}
