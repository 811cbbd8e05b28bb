import type { Piece } from './piece-writer.ts';
import { damaged, exactly, type RandomAccess } from './random-access.ts';

/** GIF89a specification, sections 18 to 27. */
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;

/** Extensions that tell how often an animation repeats. No other application data changes the picture. */
const LOOPS = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0']);

/**
 * Plans a GIF. It drops comments, plain texts (which no browser shows), application data except the loop
 * count (XMP, and ICC, which no browser reads here), and everything after the trailer. It adds a missing
 * trailer after at least one whole frame, as viewers accept such files.
 */
export function* planGif(file: RandomAccess): Iterable<Piece | null> {
  const head = exactly(file, 0, 13);
  if (!/^GIF8[79]a/.test(head.toString('latin1', 0, 6))) throw damaged();
  let position = 13 + colourTable(head.readUInt8(10));
  yield { start: 0, end: position };
  for (let frames = 0; ; ) {
    const kind = file.read(position, 1)[0] ?? (frames > 0 ? TRAILER : undefined);
    if (kind === TRAILER) {
      yield { bytes: Uint8Array.of(TRAILER) };
      return;
    }
    const start = position;
    if (kind === IMAGE) {
      const flags = exactly(file, start + 9, 1).readUInt8(0);
      position = yield* endOfBlocks(file, start + 10 + colourTable(flags) + 1);
      yield { start, end: position };
      frames += 1;
    } else if (kind === EXTENSION) {
      position = yield* endOfBlocks(file, start + 2);
      if (isKept(file, start)) yield { start, end: position };
    } else {
      throw damaged();
    }
  }
}

/** Returns the bytes of the colour table that a packed field declares. */
const colourTable = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0);

/** Walks over sub-blocks, and returns where they end. */
function* endOfBlocks(file: RandomAccess, from: number): Generator<null, number> {
  let position = from;
  while (true) {
    yield null;
    const length = exactly(file, position, 1).readUInt8(0);
    position += 1 + length;
    if (length === 0) return position;
  }
}

function isKept(file: RandomAccess, start: number): boolean {
  const label = exactly(file, start + 1, 1).readUInt8(0);
  if (label !== APPLICATION) return label === GRAPHIC_CONTROL;
  return LOOPS.has(file.peek(start + 3, 11).toString('latin1', 0, 11));
}
