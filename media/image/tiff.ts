import { closeSync, openSync, writeFileSync } from 'node:fs';
import { MIB } from '../../server/contract/limits.ts';
import type { Size } from '../../server/contract/media.ts';

/** Pixels in rows from the top, each pixel with a byte for red, green, blue and, with four, transparency. */
export type Pixels = Size & {
  channels: 3 | 4;
  /** Where the rows are: `stride` bytes from the start of one to the start of the next. */
  data: Uint8Array;
  stride: number;
  /** An ICC profile; null for sRGB. */
  profile: Uint8Array | null;
};

const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;
/** The types of values. */
const [SHORT, LONG, UNDEFINED] = [3, 4, 7];
const VALUE_BYTES: Record<number, number> = { [SHORT]: 2, [LONG]: 4, [UNDEFINED]: 1 };
/** A reader holds a strip in memory. */
const STRIP_BYTES = MIB;

type Entry = [tag: number, type: number, values: ArrayLike<number>];

/**
 * Writes pixels to a new local file as an uncompressed TIFF 6.0, which sharp reads together with the profile.
 * Given raw pixels it takes none.
 */
export function writeTiff(path: string, pixels: Pixels): void {
  const { width, height, channels, data, stride } = pixels;
  const rowBytes = width * channels;
  const stripRows = Math.max(1, Math.floor(STRIP_BYTES / rowBytes));
  const strips = Array.from({ length: Math.ceil(height / stripRows) }, (_, at) => {
    const rows = Math.min(stripRows, height - at * stripRows);
    return { top: at * stripRows, rows, bytes: rows * rowBytes };
  });
  const file = openSync(path, 'wx');
  try {
    writeFileSync(file, head(pixels, stripRows, strips));
    const row = (y: number) => data.subarray(y * stride, y * stride + rowBytes);
    for (const { top, rows } of strips) {
      writeFileSync(file, Buffer.concat(Array.from({ length: rows }, (_, at) => row(top + at))));
    }
  } finally {
    closeSync(file);
  }
}

/** Returns all that stands before the pixels: the header, the entries, and the values that don't fit into one. */
function head(
  { width, height, channels, profile }: Pixels,
  stripRows: number,
  strips: { bytes: number }[],
): Buffer {
  const offsets = new Array<number>(strips.length).fill(0);
  const entries: Entry[] = [
    [256, LONG, [width]],
    [257, LONG, [height]],
    [258, SHORT, new Array<number>(channels).fill(8)],
    // No compression; RGB.
    [259, SHORT, [1]],
    [262, SHORT, [2]],
    [273, LONG, offsets],
    [277, SHORT, [channels]],
    [278, LONG, [stripRows]],
    [279, LONG, strips.map(({ bytes }) => bytes)],
    // The fourth channel is transparency that the colours are not multiplied with.
    ...(channels === 4 ? [[338, SHORT, [2]] satisfies Entry] : []),
    ...(profile ? [[34675, UNDEFINED, profile] satisfies Entry] : []),
  ];
  const size = (values: ArrayLike<number>, type: number) =>
    values.length * (VALUE_BYTES[type] as number);
  const tableEnd = HEADER_BYTES + 2 + entries.length * ENTRY_BYTES + 4;
  const outside = entries.map(([, type, values]) => size(values, type)).filter((one) => one > 4);
  const end = tableEnd + outside.reduce((sum, one) => sum + one + (one % 2), 0);
  strips.reduce((start, { bytes }, at) => {
    offsets[at] = start;
    return start + bytes;
  }, end);

  const buffer = Buffer.alloc(end);
  buffer.write('II*\0', 'latin1');
  buffer.writeUInt32LE(HEADER_BYTES, 4);
  buffer.writeUInt16LE(entries.length, HEADER_BYTES);
  let free = tableEnd;
  for (const [index, [tag, type, values]] of entries.entries()) {
    const at = HEADER_BYTES + 2 + index * ENTRY_BYTES;
    const bytes = size(values, type);
    buffer.writeUInt16LE(tag, at);
    buffer.writeUInt16LE(type, at + 2);
    buffer.writeUInt32LE(values.length, at + 4);
    const start = bytes > 4 ? free : at + 8;
    if (bytes > 4) {
      buffer.writeUInt32LE(free, at + 8);
      free += bytes + (bytes % 2);
    }
    const each = VALUE_BYTES[type] as number;
    for (let i = 0; i < values.length; i += 1) {
      buffer.writeUIntLE(values[i] as number, start + i * each, each);
    }
  }
  return buffer;
}
