import { permanentFailure } from '../media-failure.ts';
import type { RandomAccess } from '../strip-metadata/piece.ts';

/** A box of ISO/IEC 14496-12: its payload is what lies between `body` and `end`. */
export type Box = { type: string; start: number; body: number; end: number };

const broken = () => permanentFailure('The video could not be encoded.');

/** The boxes between two positions of a file. Throws a permanent MediaFailure where one is broken. */
export function* readBoxes(file: RandomAccess, from: number, to: number): Iterable<Box> {
  for (let start = from; start + 8 <= to; ) {
    const head = readBytes(file, start, 8);
    let length = head.readUInt32BE(0);
    let body = start + 8;
    if (length === 1) {
      length = Number(readBytes(file, start + 8, 8).readBigUInt64BE(0));
      body += 8;
    }
    const end = start + length;
    if (end < body || end > to) throw broken();
    yield { type: head.toString('latin1', 4, 8), start, body, end };
    start = end;
  }
}

/** The first box at the end of a path of types, the first one looked for between two positions. */
export function findBox(file: RandomAccess, within: Pick<Box, 'body' | 'end'>, path: string): Box {
  let found: Pick<Box, 'body' | 'end'> & Partial<Box> = within;
  for (const type of path.split('/')) {
    const next = [...readBoxes(file, found.body, found.end)].find((box) => box.type === type);
    if (!next) throw broken();
    found = next;
  }
  return found as Box;
}

/** Exactly so many bytes, at most 64 KiB. */
export function readBytes(file: RandomAccess, start: number, length: number): Buffer {
  const bytes = file.read(start, length);
  if (bytes.length !== length) throw broken();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
