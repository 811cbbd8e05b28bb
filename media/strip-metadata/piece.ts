import { type MediaFailure, permanentFailure } from '../media-failure.ts';

/**
 * What a cleaned file consists of, in order: ranges of the original (from `start` up to, not
 * including, `end`) and bytes of our own.
 */
export type Piece = { start: number; end: number } | { bytes: Uint8Array };

/**
 * Reads an image and yields the pieces to keep: its pixels, what is needed to show them as before
 * (colour profile, gamma, transparency, timing) and of all metadata only `orientation`, the EXIF
 * value 1 to 8. Throws a permanent MediaFailure where the file's structure is broken.
 */
export type Planner = (file: RandomAccess, orientation: number) => Iterable<Piece>;

/** A file read at any place without holding it in memory. Positions and lengths are bytes. */
export type RandomAccess = {
  size: number;
  /** Up to 64 KiB; fewer bytes than asked for only at the end of the file. */
  read(start: number, length: number): Uint8Array;
};

export const damaged = (): MediaFailure => permanentFailure('The image is damaged or incomplete.');

/** Exactly `length` bytes; a file that ends before them is damaged. */
export function exactly(file: RandomAccess, start: number, length: number): Buffer {
  const bytes = file.read(start, length);
  if (bytes.length !== length) throw damaged();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Throws where a structure claims to reach past the end of the file. */
export function within(file: RandomAccess, end: number): number {
  if (end > file.size) throw damaged();
  return end;
}
