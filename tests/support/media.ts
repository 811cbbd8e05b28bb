import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClipOptions, makeClip, makePhoto } from './make-media.ts';

/** A photo-like JPEG with a place, a camera and an owner in its metadata. */
export const photo = (options: { width?: number; height?: number } = {}) =>
  makePhoto({ width: 640, height: 480, ...options });

const clips = new Map<string, Promise<Buffer>>();

/** The bytes of `makeClip`, made once per process. */
export function clip(options: ClipOptions = {}): Promise<Buffer> {
  const name = JSON.stringify(options);
  const made = clips.get(name) ?? readClip(options);
  clips.set(name, made);
  return made;
}

/** A clip that takes long enough to encode to be caught at work, and its sizes. */
export const longClip = () => clip({ width: 854, height: 480, seconds: 8 });
export const LONG_CLIP_SIZES = '854x480,426x240';

async function readClip(options: ClipOptions): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-clip-'));
  const path = join(folder, 'clip.mp4');
  await makeClip(path, options);
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
