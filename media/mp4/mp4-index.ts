import { permanentFailure } from '../media-failure.ts';
import { type Piece, writePieces } from '../strip-metadata/piece-writer.ts';
import { openRandomAccess, type RandomAccess } from '../strip-metadata/random-access.ts';

/** Boxes that can precede the index at the top level of an MP4 or QuickTime file. */
const TOP_LEVEL = /^(ftyp|styp|wide|free|skip|mdat|uuid|pnot|meta|moov)$/;
/** Recorders and programs write the index last, so a file without it was not finished. */
export const INDEX_MISSING = 'The video is incomplete. Export or upload it again.';
const HEADER = 8;
const BRAND_MAX = 4096;

/** Whether the first box of a file is one of an MP4 or QuickTime file. */
export async function startsLikeMp4(path: string): Promise<boolean> {
  return TOP_LEVEL.test(await Bun.file(path).slice(4, HEADER).text());
}

/**
 * Returns a local file that ffprobe can read, made from the first bytes of a video and perhaps its last:
 * the head itself, or a new file `to` with the index where that is in the tail. Returns null where the tail
 * is needed and missing. Throws a permanent MediaFailure where the tail does not help either.
 */
export function sourceExcerpt(head: string, tail: string | null, to: string): string | null {
  const first = openRandomAccess(head);
  try {
    if (!isIndexBeyond(first)) return head;
    if (tail === null) return null;
    const last = openRandomAccess(tail);
    try {
      const index = readIndex(last);
      if (!index) throw permanentFailure(INDEX_MISSING);
      writePieces(tail, to, [...readBrand(first), index]);
      return to;
    } finally {
      last.close();
    }
  } finally {
    first.close();
  }
}

/**
 * Whether the file is of the MP4 family and its index, `moov`, comes after the head. Cameras and phones
 * write such files, as they know the index only at the end of the recording.
 */
function isIndexBeyond(head: RandomAccess): boolean {
  for (let at = 0; at + HEADER <= head.size; ) {
    const header = Buffer.from(head.read(at, 2 * HEADER));
    const type = header.toString('latin1', 4, 8);
    if (!TOP_LEVEL.test(type)) return false;
    if (type === 'moov') return false;
    const length = lengthOf(header);
    // A length of zero reaches to the end of the file, so no index follows.
    if (length < HEADER) return false;
    at += length;
  }
  return head.size >= HEADER;
}

function lengthOf(header: Buffer): number {
  const length = header.readUInt32BE(0);
  if (length !== 1) return length;
  return header.length >= 2 * HEADER ? Number(header.readBigUInt64BE(HEADER)) : 0;
}

/**
 * Returns where the index is in the tail, or null. Any data can precede it there, cut in the middle of a
 * box, so the index is recognised by its name, by the box that must come first in it, and by its length.
 */
function readIndex(tail: RandomAccess): { start: number; end: number } | null {
  const step = 32 * 1024;
  for (let from = 0; from < tail.size; from += step) {
    const bytes = Buffer.from(tail.read(from, step + 2 * HEADER));
    for (let at = bytes.indexOf('moov'); at >= 0; at = bytes.indexOf('moov', at + 1)) {
      const start = from + at - 4;
      if (start < from || start >= from + step) continue;
      const end = start + Buffer.from(tail.read(start, 4)).readUInt32BE(0);
      if (end <= tail.size && startsWithHeader(tail, start + HEADER, end)) return { start, end };
    }
  }
  return null;
}

function startsWithHeader(tail: RandomAccess, body: number, end: number): boolean {
  if (body + HEADER > end) return false;
  const type = Buffer.from(tail.read(body + 4, 4)).toString('latin1');
  return type === 'mvhd' || type === 'cmov';
}

/** Returns the box that declares how to read the index, where the file has one. */
function readBrand(head: RandomAccess): Piece[] {
  const header = Buffer.from(head.read(0, HEADER));
  if (header.toString('latin1', 4) !== 'ftyp') return [];
  const end = header.readUInt32BE(0);
  return end <= BRAND_MAX && end <= head.size ? [{ bytes: head.read(0, end) }] : [];
}
