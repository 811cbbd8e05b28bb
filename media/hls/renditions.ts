import type { Size } from '../../server/contract/media.ts';
import { type FrameRate, rateValue } from './frame-rate.ts';

/** H.264 with 4:2:0 colour requires even sides. */
const floorEven = (side: number) => Math.max(2, Math.floor(side / 2) * 2);
const roundEven = (side: number) => Math.max(2, Math.round(side / 2) * 2);

const isPortrait = ({ width, height }: Size) => height > width;
const turned = ({ width, height }: Size): Size => ({ width: height, height: width });

export const sizeName = ({ width, height }: Size) => `${width}x${height}`;

/**
 * Returns the sizes to encode, largest first. Each requested size is a box into which the picture is
 * fitted: it keeps its aspect ratio, is never enlarged, and gets even sides. A box turns with the picture, so
 * that a portrait video has as many pixels in 1920x1080 as a landscape one. Boxes that result in the same size are encoded once. Without boxes the source keeps its own size.
 */
export function renditionSizes(source: Size, boxes: Size[]): Size[] {
  const fullSize = { width: floorEven(source.width), height: floorEven(source.height) };
  const sizes = boxes.map((given) => {
    const box = isPortrait(given) === isPortrait(source) ? given : turned(given);
    const scale = Math.min(1, box.width / source.width, box.height / source.height);
    return {
      width: Math.min(fullSize.width, roundEven(source.width * scale)),
      height: Math.min(fullSize.height, roundEven(source.height * scale)),
    };
  });
  const sizesByName = new Map(
    (sizes.length > 0 ? sizes : [fullSize]).map((size) => [sizeName(size), size]),
  );
  return [...sizesByName.values()].sort((a, b) => b.width * b.height - a.width * a.height);
}

/** In kilobits per second. */
type VideoRate = { maxrate: number; bufsize: number };

/** The most kilobits per second by the shorter side, at up to 30 frames per second. */
const RATES: [side: number, maxrate: number][] = [
  [2160, 18_000],
  [1440, 10_000],
  [1080, 5_000],
  [720, 3_000],
  [480, 1_400],
  [360, 800],
  [240, 450],
  [0, 250],
];
const FAST_RATE = 31;
const FAST_FACTOR = 1.5;

/** Returns the bitrate limit that keeps a rendition streamable. Below it the quality (CRF) decides. */
export function videoRate(size: Size, rate: FrameRate): VideoRate {
  const side = Math.min(size.width, size.height);
  const row = RATES.find(([minSide]) => side >= minSide);
  const maxrate = Math.round((row?.[1] ?? 250) * (rateValue(rate) > FAST_RATE ? FAST_FACTOR : 1));
  return { maxrate, bufsize: maxrate * 2 };
}

/**
 * ITU-T H.264, table A-1: macroblocks per second, per frame and in the picture buffer; kbit/s in Main
 * profile.
 */
const LEVELS: [name: string, perSecond: number, perFrame: number, buffer: number, kbits: number][] =
  [
    ['3.0', 40_500, 1_620, 8_100, 10_000],
    ['3.1', 108_000, 3_600, 18_000, 14_000],
    ['3.2', 216_000, 5_120, 20_480, 20_000],
    ['4.0', 245_760, 8_192, 32_768, 20_000],
    ['4.2', 522_240, 8_704, 34_816, 50_000],
    ['5.0', 589_824, 22_080, 110_400, 135_000],
    ['5.1', 983_040, 36_864, 184_320, 240_000],
    ['5.2', 2_073_600, 36_864, 184_320, 240_000],
    ['6.0', 4_177_920, 139_264, 696_320, 240_000],
    ['6.1', 8_355_840, 139_264, 696_320, 480_000],
    ['6.2', 16_711_680, 139_264, 696_320, 800_000],
  ];
/** The pictures that preset `veryfast` of x264 keeps: one reference and the B-frame pyramid. */
const BUFFERED_PICTURES = 4;

/**
 * Returns the lowest level that allows a stream, from 3.0 on, which everything plays. Players go by the
 * declared level, so a higher one than needed would exclude phones.
 */
export function h264Level(size: Size, rate: FrameRate, { maxrate }: VideoRate): string {
  const across = Math.ceil(size.width / 16);
  const down = Math.ceil(size.height / 16);
  const blocks = across * down;
  const level = LEVELS.find(
    ([, perSecond, perFrame, buffer, kbits]) =>
      blocks <= perFrame &&
      blocks * rateValue(rate) <= perSecond &&
      blocks * BUFFERED_PICTURES <= buffer &&
      maxrate <= kbits &&
      // A.3.1: no side may be longer than the square root of eight times the frame's macroblocks.
      Math.max(across, down) <= Math.sqrt(perFrame * 8),
  );
  return level?.[0] ?? '6.2';
}
