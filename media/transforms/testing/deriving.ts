import { afterAll } from 'bun:test';
import { join } from 'node:path';
import type { Transform } from '../../../server/contract/transforms.ts';
import { sharp } from '../../image/sharp.ts';
import { scratch } from '../../testing/clips.ts';
import { makeDerivative } from '../derive.ts';

const NOTHING: Transform = {
  width: null,
  height: null,
  fit: 'scale-down',
  gravity: { x: 0.5, y: 0.5 },
  format: 'png',
  quality: null,
  blur: 0,
  sharpen: 0,
  rotate: 0,
  background: null,
};

/** A folder for the tests of a file, and what makes derivatives in it; it is removed after them. */
export async function deriving() {
  const folder = scratch();
  afterAll(folder.remove);
  let count = 0;

  /** The path of a file with these bytes. */
  async function put(bytes: Uint8Array | string): Promise<string> {
    count += 1;
    const path = join(folder.path, `source-${count}`);
    await Bun.write(path, bytes);
    return path;
  }

  /** What is made of a file, where, and its bytes; nothing but the format is asked for unless said. */
  async function derive(source: string, transform: Partial<Transform>) {
    count += 1;
    const path = join(folder.path, `made-${count}`);
    const made = await makeDerivative(source, path, { ...NOTHING, ...transform });
    return { made, path, bytes: Buffer.from(await Bun.file(path).arrayBuffer()) };
  }

  const source = await put(await quarters().png().toBuffer());
  return { folder, put, derive, source };
}

export const RED = '#f00';
export const GREEN = '#0f0';
export const BLUE = '#00f';
export const WHITE = '#fff';
export const BLACK = '#000';

/** Red and green above blue and white, each a quarter. */
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

/** The colour at a point, as the nearest of ours. */
export async function colourAt(path: string, x: number, y: number): Promise<string> {
  const { data, info } = await sharp(path)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at =
    (Math.min(info.height - 1, y) * info.width + Math.min(info.width - 1, x)) * info.channels;
  return `#${[0, 1, 2].map((channel) => ((data[at + channel] ?? 0) > 127 ? 'f' : '0')).join('')}`;
}

/** From the top left to the bottom right. */
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

/** What `corners` sees of the quarters as they are. */
export const UPRIGHT = [RED, GREEN, BLUE, WHITE];
