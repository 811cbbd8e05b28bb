import { type MediaFailure, permanentFailure } from '../media-failure.ts';
import type { RandomAccess } from './piece.ts';

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
