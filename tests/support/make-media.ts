import { execFile } from 'node:child_process';
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { copyOfMadeOnce, madeOnce } from './made-once.ts';

const run = promisify(execFile);

export type PhotoOptions = { width?: number; height?: number; blur?: number; number?: number };

/**
 * A photo-like JPEG, 1200x800, the larger the less it is blurred; the same one whenever it is asked for,
 * another one of each `number`. Runs in Node and in Bun.
 */
export async function makePhoto(options: PhotoOptions = {}): Promise<Buffer> {
  const { width = 1200, height = 800, blur = 2, number = 0 } = options;
  const photo = await madeOnce('photo.jpg', { width, height, blur, number }, async (path) => {
    await writeFile(path, await takePhoto(width, height, blur));
  });
  return readFile(photo);
}

async function takePhoto(width: number, height: number, blur: number): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 20 };
  const grain = await sharp({ create: { width, height, channels: 3, background: '#456', noise } })
    .blur(blur)
    .png()
    .toBuffer();
  return sharp(grain)
    .jpeg({ quality: 90 })
    .withExif({
      IFD0: { Make: 'SecretCamera', Copyright: 'SecretOwner' },
      IFD3: {
        GPSLatitudeRef: 'N',
        GPSLatitude: '52/1 31/1 0/1',
        GPSLongitudeRef: 'E',
        GPSLongitude: '13/1 24/1 0/1',
      },
    })
    .toBuffer();
}

/** A PNG of noise of about this many bytes, which nothing makes smaller. */
export async function makeNoise(bytes: number): Promise<Buffer> {
  const side = Math.ceil(Math.sqrt(bytes / 3));
  const noise = new Uint8Array(side * side * 3);
  for (let at = 0; at < noise.length; at += 65_536) {
    crypto.getRandomValues(noise.subarray(at, at + 65_536));
  }
  const raw = { width: side, height: side, channels: 3 } as const;
  return sharp(noise, { raw }).png({ compressionLevel: 0 }).toBuffer();
}

export type ClipOptions = { width?: number; height?: number; seconds?: number };

/** A moving test card with a tone: MP4, H.264 and AAC, 25 pictures a second. */
export async function makeClip(path: string, clip: ClipOptions = {}): Promise<void> {
  const { width = 640, height = 360, seconds = 3 } = clip;
  const picture = [
    '-f',
    'lavfi',
    '-i',
    `testsrc2=size=${width}x${height}:rate=25:duration=${seconds}`,
  ];
  const tone = ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`];
  const video = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '32', '-pix_fmt', 'yuv420p'];
  const options = [...picture, ...tone, ...video, '-c:a', 'aac', '-shortest'];
  await copyOfMadeOnce(path, 'clip.mp4', options, async (made) => {
    await run('ffmpeg', ['-v', 'error', '-y', ...options, made]);
  });
}

/** Makes a clip larger, to about so many bytes, by a `free` box at its end, which players skip. */
export async function padClip(path: string, bytes: number): Promise<void> {
  const { size } = await stat(path);
  const free = Buffer.alloc(Math.max(8, bytes - size));
  free.writeUInt32BE(free.length, 0);
  free.write('free', 4);
  await appendFile(path, free);
}

/**
 * Makes a clip of `makeClip` larger by so many bytes before its index, which then stands where the
 * first part of the file does not reach.
 */
export async function padBeforeIndex(path: string, bytes: number): Promise<void> {
  const clip = await readFile(path);
  const mdat = clip.indexOf('mdat') - 4;
  const moov = clip.lastIndexOf('moov') - 4;
  const size = clip.readUInt32BE(mdat);
  if (mdat < 0 || mdat + size !== moov) throw new Error('The index does not follow the data.');
  clip.writeUInt32BE(size + bytes, mdat);
  await writeFile(
    path,
    Buffer.concat([clip.subarray(0, moov), Buffer.alloc(bytes), clip.subarray(moov)]),
  );
}
