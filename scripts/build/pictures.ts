import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDerivative } from '../../media/transforms/derive.ts';
import type { AssetFolder } from './writer.ts';

/** Dedicated to the public domain (CC0 1.0), by way of MDN's learning area. */
const PHOTO = 'server/features/landing/red-panda.jpg';
/** As a bucket delivers it to whoever asks for nothing special. */
const AS_DELIVERED = {
  width: null,
  height: null,
  fit: 'scale-down',
  gravity: 'auto',
  quality: null,
  blur: 0,
  sharpen: 0,
  rotate: 0,
  background: null,
} as const;

/** The landing page's photo, as it was taken and as our own encoder delivers it, pixel for pixel. */
export async function makePictures(root: string, folder: AssetFolder) {
  const source = join(root, PHOTO);
  await folder.add('photo.jpg', await Bun.file(source).bytes());
  const work = await mkdtemp(join(tmpdir(), 'wharf-pictures-'));
  try {
    for (const format of ['avif', 'webp'] as const) {
      const made = join(work, `photo.${format}`);
      await makeDerivative(source, made, { ...AS_DELIVERED, format });
      await folder.add(`photo.${format}`, await Bun.file(made).bytes());
    }
  } finally {
    await rm(work, { recursive: true });
  }
}
