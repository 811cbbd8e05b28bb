import { sharp } from '../../image/sharp.ts';

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
