import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import sharp from 'sharp';

const run = promisify(execFile);

/** A photo-like JPEG, 1200x800, that compresses like one. Runs in Node and in Bun. */
export async function makePhoto(
  options: { width?: number; height?: number } = {},
): Promise<Buffer> {
  const { width = 1200, height = 800 } = options;
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 20 };
  const grain = await sharp({ create: { width, height, channels: 3, background: '#456', noise } })
    .blur(2)
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
export async function makeClip(path: string, options: ClipOptions = {}): Promise<void> {
  const { width = 640, height = 360, seconds = 3 } = options;
  const picture = [
    '-f',
    'lavfi',
    '-i',
    `testsrc2=size=${width}x${height}:rate=25:duration=${seconds}`,
  ];
  const tone = ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`];
  const video = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '32', '-pix_fmt', 'yuv420p'];
  await run('ffmpeg', [
    '-v',
    'error',
    '-y',
    ...picture,
    ...tone,
    ...video,
    '-c:a',
    'aac',
    '-shortest',
    path,
  ]);
}
