import { afterAll } from 'bun:test';
import { join } from 'node:path';
import type { Transform } from '../../../server/contract/transforms.ts';
import { sharp } from '../../image/sharp.ts';
import { scratch } from '../../testing/clips.ts';
import { generateImage } from '../generate-image.ts';
import { NO_TRANSFORM } from './no-transform.ts';

/**
 * Makes a folder for the tests of a file, and functions that generate images in it. The folder is removed
 * after the tests.
 */
export async function deriving() {
  const folder = scratch();
  afterAll(folder.remove);
  let count = 0;

  /** Writes bytes into a file and returns its path. */
  async function put(bytes: Uint8Array | string): Promise<string> {
    count += 1;
    const path = join(folder.path, `source-${count}`);
    await Bun.write(path, bytes);
    return path;
  }

  /** Applies a transform. Returns the result, its path and its bytes. Only the format is requested by default. */
  async function derive(source: string, transform: Partial<Transform>) {
    count += 1;
    const path = join(folder.path, `made-${count}`);
    const image = await generateImage(source, path, { ...NO_TRANSFORM, ...transform });
    return { image, path, bytes: Buffer.from(await Bun.file(path).arrayBuffer()) };
  }

  const source = await put(await quarters().png().toBuffer());
  return { folder, put, derive, source };
}

export const RED = '#f00';
export const GREEN = '#0f0';
export const BLUE = '#00f';
export const WHITE = '#fff';
export const BLACK = '#000';

/** Returns red and green above blue and white, each in a quarter of the image. */
export function quarters(width = 240, height = 160) {
  const part = (input: string, left: number, top: number) => ({
    input: {
      create: { width: width / 2, height: height / 2, channels: 3 as const, background: input },
    },
    left,
    top,
  });
  return sharp({ create: { width, height, channels: 3, background: BLACK } }).composite([
    part(RED, 0, 0),
    part(GREEN, width / 2, 0),
    part(BLUE, 0, height / 2),
    part(WHITE, width / 2, height / 2),
  ]);
}

/** Returns the colour at a point, as the nearest of the five. */
export async function colourAt(path: string, x: number, y: number): Promise<string> {
  const { data, info } = await sharp(path)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at =
    (Math.min(info.height - 1, y) * info.width + Math.min(info.width - 1, x)) * info.channels;
  return `#${[0, 1, 2].map((channel) => ((data[at + channel] ?? 0) > 127 ? 'f' : '0')).join('')}`;
}

/** Returns the colours of the corners, from the top left to the bottom right. */
export async function corners(path: string) {
  const { width, height } = await sharp(path).metadata();
  const points = [
    [2, 2],
    [width - 3, 2],
    [2, height - 3],
    [width - 3, height - 3],
  ] as const;
  return Promise.all(points.map(([x, y]) => colourAt(path, x, y)));
}

/** The corners of the original quarters. */
export const UPRIGHT = [RED, GREEN, BLUE, WHITE];
