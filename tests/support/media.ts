import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';

/** A photo-like JPEG with a place, a camera and a comment in its metadata. */
export async function photo(options: { width?: number; height?: number } = {}): Promise<Buffer> {
  const { width = 640, height = 480 } = options;
  const noise = await sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#456',
      noise: { type: 'gaussian', mean: 128, sigma: 20 },
    },
  })
    .blur(2)
    .png()
    .toBuffer();
  return sharp(noise)
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

const clips = new Map<string, Promise<Buffer>>();

/** A moving test card with a tone, made once per process: MP4, H.264 and AAC. */
export function clip(
  options: { width?: number; height?: number; seconds?: number } = {},
): Promise<Buffer> {
  const { width = 640, height = 360, seconds = 3 } = options;
  const name = `${width}x${height}x${seconds}`;
  const known = clips.get(name) ?? encode(width, height, seconds);
  clips.set(name, known);
  return known;
}

async function encode(width: number, height: number, seconds: number): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-clip-'));
  const path = join(folder, 'clip.mp4');
  const source = [
    '-f',
    'lavfi',
    '-i',
    `testsrc2=size=${width}x${height}:rate=25:duration=${seconds}`,
  ];
  const tone = ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`];
  const codecs = [
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-crf',
    '32',
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'aac',
  ];
  const ffmpeg = Bun.spawn([
    'ffmpeg',
    '-v',
    'error',
    ...source,
    ...tone,
    ...codecs,
    '-shortest',
    path,
  ]);
  if ((await ffmpeg.exited) !== 0) throw new Error('the test clip could not be made');
  const bytes = Buffer.from(await Bun.file(path).arrayBuffer());
  await rm(folder, { recursive: true });
  return bytes;
}

/** An MP4 of about this many bytes, grown by a `free` box, which players skip. */
export async function clipOfSize(bytes: number): Promise<Buffer> {
  const real = await clip({ seconds: 1 });
  const free = Buffer.alloc(Math.max(8, bytes - real.length));
  free.writeUInt32BE(free.length, 0);
  free.write('free', 4);
  return Buffer.concat([real, free]);
}
